#!/usr/bin/env bash
# Tests the transports ibv, and ucx and ofi by their verbs: soft-RoCE and soft-iWARP of Debian's
# kernel, in virtual machines (transports/verbs/testvm). Skipped, with a message, only if apt has no
# such kernel.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/toolchain.sh
vm=$PWD/transports/verbs/testvm

scripts/install.sh gcc libc6-dev make xz-utils libibverbs-dev librdmacm-dev ibverbs-providers iproute2 \
	qemu-system-x86 busybox-static cpio kmod libucx-dev libfabric-dev
code=0
GOBENCH_VM_FOLDER=$("$vm/prepare.sh") || code=$?
export GOBENCH_VM_FOLDER
if [ $code = 77 ]; then
	echo "=== VERBS ARE NOT TESTED: the reason is above ===" >&2
	exit 0
fi
[ $code = 0 ] || exit $code

tmp=$(mktemp -d -t gobench-verbs.XXXXXX)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$tmp"' EXIT
# As make build-verbs has it, but for the race detector and the sanitizers (scripts/test.sh).
export CGO_ENABLED=1 GOFLAGS="${GOFLAGS:--trimpath -buildvcs=false}" GOEXPERIMENT=simd
go test -vet=off -c -tags verbs -o "$tmp/plain" ./transports/verbs
go test -vet=off -c -tags verbs -o "$tmp/hybrid" ./transports/hybrid
for family in sctp tcp; do go test -vet=off -c -o "$tmp/$family" ./transports/$family; done
for library in ucx ofi; do go test -vet=off -c -tags $library -o "$tmp/$library" ./transports/$library; done
# Debian's libfabric loads libpsm2, which may execute AVX when it is loaded: the emulated processor
# has none. In its place there is an empty one.
if ldconfig -p | grep -q libpsm2.so.2; then
	psm2=$(nm -D --undefined-only "$(ldconfig -p | awk '/libfabric.so.1 / { print $NF; exit }')" | grep -o 'psm2_[^ ]*' || true)
	mkdir "$tmp/libraries"
	awk -F@ '{ print "void " $1 "(void) {}" }' <<<"$psm2" >"$tmp/psm2.c"
	awk -F@ '{ print $2 " { *; };"; exit }' <<<"$psm2" >"$tmp/psm2.map"
	gcc -shared -fPIC -Wl,-soname,libpsm2.so.2,--version-script="$tmp/psm2.map" -o "$tmp/libraries/libpsm2.so.2" "$tmp/psm2.c"
fi
env -u GOEXPERIMENT go test -vet=off -c -tags verbs -race -o "$tmp/race" ./transports/verbs
(. scripts/sanitizers.sh && go test -vet=off -c -tags verbs -asan -o "$tmp/asan" ./transports/verbs)
transports/verbs/emulator/build.sh "$tmp/xrc"
transports/verbs/emulator/build.sh "$tmp/xrc-asan" -fsanitize=address,undefined -fno-sanitize-recover=all
# Each run of gobench takes the digest of its program, which is slow in the emulator: the program
# has no symbols.
go build -tags verbs -ldflags "-s -w" -o "$tmp/gobench" ./cmd/gobench

# machine NAME COMMAND... runs a command in its own machine, a child process that ends with this
# script.
machine() {
	local name=$1
	shift
	cd transports/verbs
	exec env GOBENCH_VM_TIMEOUT=800 "$vm/exec.sh" "$@" >"$tmp/$name.out" 2>&1
}

# Two machines that are joined: rules of the contract, and gobench between them, until vm2 is cut
# off.
mkdir "$tmp/cables"
between() {
	export GOBENCH_VM_CPUS=1 GOBENCH_VM_MEMORY=1G
	touch "$tmp/vm1.out"
	trap 'kill $vm1 $vm2 2>/dev/null || true' EXIT
	GOBENCH_VM_PAIR=2:$tmp/cables machine vm2 "$vm/pair.sh" "$tmp" &
	vm2=$!
	GOBENCH_VM_PAIR=1:$tmp/cables machine vm1 "$vm/pair.sh" "$tmp" &
	vm1=$!
	while ! grep -q '^cut vm2' "$tmp/vm1.out"; do
		kill -0 $vm1 2>/dev/null || { cat "$tmp/vm2.out" >>"$tmp/vm1.out"; return 1; }
		sleep .1
	done
	kill $vm2
	cut=$SECONDS
	wait $vm1 || return
	# Its ranks may end some seconds after they have named the rank that is lost.
	[ $((SECONDS - cut)) -le 20 ] && grep -q 'rank 1.* is lost' "$tmp/vm1.out" || { echo "the death of vm2 is named late or not at all"; return 1; }
}
between >"$tmp/between.out" 2>&1 &
between=$!
# Waiting ranks keep processors busy, so on two cores the other machine, which has two processors,
# runs afterwards.
[ "$(nproc)" -ge 4 ] || wait "$between" || true
GOBENCH_VM_MEMORY=2G machine rest "$vm/single.sh" "$tmp" &
rest=$!

failed=0
for name in between rest; do
	if wait "${!name}"; then # bash keeps the status of one that has been waited for
		echo "ok: $name"
	else
		echo "--- FAILED: $name"
		failed=1
	fi
done
for name in between vm1 rest; do
	sed 's/^/    /' "$tmp/$name.out"
done
exit $failed
