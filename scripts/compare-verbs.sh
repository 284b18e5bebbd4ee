#!/usr/bin/env bash
# Compares the transport ibv with Debian's perftest, in turns on one soft-RoCE device of the virtual
# machine. Times of an emulated processor do not predict those of adapters; the ratios show the
# overhead of gobench.
# usage: scripts/compare-verbs.sh [LAUNCHES]; GOBENCH_VM_BUDGET=5m in the environment: no launch
# begins later (10 minutes)
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/toolchain.sh
scripts/install.sh gcc libc6-dev make xz-utils libibverbs-dev librdmacm-dev ibverbs-providers iproute2 \
	qemu-system-x86 busybox-static cpio kmod perftest
transports/verbs/testvm/prepare.sh >/dev/null
tmp=$(mktemp -d -t gobench-verbs.XXXXXX)
trap 'rm -rf "$tmp"' EXIT
# Each run of gobench takes the digest of its program, which is slow in the emulator: the program
# has no symbols.
CGO_ENABLED=1 GOEXPERIMENT=simd go build -trimpath -buildvcs=false -tags verbs -ldflags "-s -w" -o "$tmp/gobench" ./cmd/gobench
records=results/rivals-verbs-$(date +%Y%m%dT%H%M%S).jsonl
mkdir -p results
code=0
GOBENCH_VM_TIMEOUT=1200 transports/verbs/testvm/exec.sh "$PWD/transports/verbs/testvm/compare.sh" "$tmp/gobench" "${1:-7}" | tr -d '\r' |
	awk -v records="$records" '/^{/ { print >records; next } { print; fflush() }' || code=$?
echo "# records  $records"
go run ./peers/targets peers/targets/verbs.toml "$records" || code=$?
exit $code
