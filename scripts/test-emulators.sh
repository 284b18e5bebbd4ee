#!/usr/bin/env bash
# The transports gni and mxm over our emulators of their libraries: plain, and all C under
# AddressSanitizer and UBSan. Ranks are processes that read each other's memory.
set -eEuo pipefail
trap 'echo "$0, line $LINENO: exit code $?: $BASH_COMMAND" >&2' ERR
cd "$(dirname "$0")/.."
. scripts/toolchain.sh
export GOEXPERIMENT=simd # as make build-full has it
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# Tests that run under the sanitizers do not run without them.
sanitized='^Test(Faults|FatalFaults|ErrorsOfOneRank|Latency)$'
go test -vet=off -timeout 5m -tags gni,mxm -skip "$sanitized" ./transports/gni/... ./transports/mxm ./transports/native/...

# -asan compiles the C of the transports with the sanitizer, too. The emulators are loaded into it.
scripts/emulators.sh "$tmp" -fsanitize=address,undefined -fno-sanitize-recover=all
(. scripts/sanitizers.sh && GOBENCH_EMULATORS=$tmp \
	go test -vet=off -timeout 5m -asan -tags gni,mxm -run "$sanitized" ./transports/gni ./transports/mxm)

# Puts and gets of level raw, with their check of the data.
make -s build-full >/dev/null
scripts/emulators.sh "$tmp/plain"
raw() { timeout 180 bin/gobench-full p2p --level=raw --window=16 --launches=1 --budget=20ms -o /dev/null "$@" >/dev/null; }
raw --transport=gni --bench=put_bw --sizes=8 --set library="$tmp/plain/libugni.so.0"
raw --transport=mxm --bench=put_bw --sizes=8 --set library="$tmp/plain/libmxm.so.2"
export LD_LIBRARY_PATH=$tmp/plain
for transport in gni mxm; do
	raw --transport=$transport --bench=put_bw,get_lat,get_bw --sizes=8,64K
	code=0
	raw --transport=$transport --bench=put_bw,get_lat --sizes=64K --fault=corrupt 2>/dev/null || code=$?
	[ $code = 3 ] || { echo "$transport: damaged data of puts and gets ended with exit code $code, want 3" >&2; exit 1; }
done
for function in mxm_mem_map mxm_mem_get_key; do
	code=0
	GOBENCH_MXM_EMULATOR=fail=$function:4 raw --transport=mxm --bench=put_bw --sizes=8 2>"$tmp/said" || code=$?
	[ $code = 1 ] && grep -q $function "$tmp/said" || { echo "mxm: an error of $function ended with exit code $code" >&2; cat "$tmp/said" >&2; exit 1; }
done
