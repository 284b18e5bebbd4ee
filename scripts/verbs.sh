#!/usr/bin/env bash
# Tests the transport ibv over verbs: soft-RoCE and soft-iWARP of Debian's kernel, in a virtual machine
# (transports/verbs/testvm). Skipped, with a message, only if apt has no such kernel.
set -euo pipefail
cd "$(dirname "$0")/.."
vm=$PWD/transports/verbs/testvm

scripts/install.sh gcc libc6-dev make xz-utils libibverbs-dev librdmacm-dev ibverbs-providers iproute2 \
	qemu-system-x86 busybox-static cpio kmod
code=0
"$vm/prepare.sh" >/dev/null || code=$?
if [ $code = 77 ]; then
	echo "=== VERBS ARE NOT TESTED: the reason is above ===" >&2
	exit 0
fi
[ $code = 0 ] || exit $code

tmp=$(mktemp -d -t gobench-verbs.XXXXXX)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$tmp"' EXIT
export CGO_ENABLED=1
vector=GOEXPERIMENT=simd # as make build-verbs has it
env $vector go vet -tags verbs ./transports/verbs/... ./transports/hybrid ./cmd/gobench
env $vector go test -c -tags verbs -o "$tmp/plain" ./transports/verbs
env $vector go test -c -tags verbs -o "$tmp/hybrid" ./transports/hybrid
for family in sctp tcp; do env $vector go test -c -o "$tmp/$family" ./transports/$family; done
go test -c -tags verbs -race -o "$tmp/race" ./transports/verbs
(. scripts/sanitizers.sh && go test -c -tags verbs -asan -o "$tmp/asan" ./transports/verbs)
env $vector go build -tags verbs -o "$tmp/gobench" ./cmd/gobench

# machine NAME COMMAND... runs a command in its own machine, a child process that ends with this script.
machine() {
	local name=$1
	shift
	cd transports/verbs
	exec env GOBENCH_VM_TIMEOUT=800 "$vm/exec.sh" "$@" >"$tmp/$name.out" 2>&1
}

# The time-out of a test is shorter than that of the machine, because it reports where the test hangs.
at_most='-test.timeout 600s'

# Two machines that are joined: rules of the contract, and gobench between them, until vm2 is cut off.
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
# Waiting ranks keep processors busy, so on two cores the other machine, which has two processors, runs afterwards.
[ "$(nproc)" -ge 4 ] || wait "$between" || true
# Tests that run under AddressSanitizer do not run without it; it covers the C code of package ibv and the memory that Go
# passes to it. Leaks are not checked, because libibverbs keeps its list of devices until exit. Under it Go allocates where
# it otherwise does not, so tests of allocations run without it. TestPutsAndGets is too slow under the race detector;
# TestLoopToADeadPeer starts the same loops.
sanitized='Control|Credits|Ready|SharedQueue|Wrong|Segments|LoopTo|LoopReturns|PingPong|LazyConnects|PeerGone|QueueError|Way|Services|Atomics'
GOBENCH_VM_MEMORY=2G machine rest /bin/bash -c "'$tmp/plain' $at_most -test.skip '^TestMachines$|^TestGoroutines$|$sanitized' &&
	'$tmp/race' $at_most -test.run 'Goroutines|LazyPeer|LoopTo' &&
	ASAN_OPTIONS=detect_leaks=0 '$tmp/asan' $at_most -test.run '$sanitized' &&
	while read -r module; do insmod /vm-modules/\$module || exit; done </vm-modules/order &&
	'$tmp/sctp' $at_most -test.run '^Test(Conformance|Options)$/^(sleeps|every_size|close_delivers|death_of_a)' && '$tmp/tcp' $at_most -test.run Families &&
	'$tmp/gobench' probe | grep -A12 '^ *ibv' | grep 'rxe0, multicast: [1-9]' &&
	'$tmp/gobench' p2p --launches=1 --transport=ibv --sizes=8,64K --budget=500ms -o /dev/null &&
	for loop in native go; do
		'$tmp/gobench' p2p --launches=1 --transport=ibv --level=raw --bench=put_lat,put_bw,get_lat,get_bw,fadd_lat,fadd_bw,cswap_lat,cswap_bw --set loop=\$loop --set qps=2 \\
			--sizes=8,64K --budget=200ms -o /tmp/raw.jsonl || exit
	done &&
	grep -q 'bench...put_bw.*loop...go.*qps...2' /tmp/raw.jsonl &&
	for bench in pingpong put_lat put_bw get_lat get_bw fadd_bw; do
		'$tmp/gobench' p2p --launches=1 --transport=ibv --level=raw --bench=\$bench --set loop=native --fault=corrupt --sizes=8 -o /dev/null
		[ \$? = 3 ] || { echo \"wrong data of \$bench in a native loop is not noticed\"; exit 1; }
	done" &
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
