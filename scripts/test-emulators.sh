#!/usr/bin/env bash
# The transports gni and mxm over our emulators of their libraries: plain, and all C under
# AddressSanitizer and UBSan. Ranks are processes that read each other's memory.
set -euo pipefail
cd "$(dirname "$0")/.."
export GOEXPERIMENT=simd # as make build-full has it
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

packages=(./transports/gni/... ./transports/mxm ./transports/native/...)
go test -vet=off -timeout 5m -tags gni,mxm "${packages[@]}"

# -asan compiles the C of the transports with the sanitizer, too. The emulators are loaded into it.
scripts/emulators.sh "$tmp" -fsanitize=address,undefined -fno-sanitize-recover=all
(. scripts/sanitizers.sh && GOBENCH_EMULATORS=$tmp \
	go test -vet=off -timeout 5m -asan -tags gni,mxm -run 'TestFaults|TestFatal|TestLatency|TestSanitized' ./transports/gni ./transports/mxm)

# Puts and gets of level raw, with their check of the data.
make -s build-full >/dev/null
scripts/emulators.sh "$tmp/plain"
LD_LIBRARY_PATH=$tmp/plain timeout 60 bin/gobench-full p2p --transport=gni --level=raw --bench=put_bw,get_lat,get_bw --window=16 --sizes=8,64K \
	--launches=1 --budget=100ms -o /dev/null >/dev/null
