#!/usr/bin/env bash
# The transport ibv against Debian's perftest, in turns on one soft-RoCE device of the virtual machine. An
# emulated processor's times say nothing about adapters; the ratios say what gobench adds.
# usage: scripts/compare-verbs.sh [ROUNDS]
set -euo pipefail
cd "$(dirname "$0")/.."
rounds=${1:-7}
scripts/install.sh gcc libc6-dev make xz-utils libibverbs-dev librdmacm-dev ibverbs-providers iproute2 \
	qemu-system-x86 busybox-static cpio kmod perftest
transports/verbs/testvm/prepare.sh >/dev/null
tmp=$(mktemp -d -t gobench-verbs.XXXXXX)
trap 'rm -rf "$tmp"' EXIT
CGO_ENABLED=1 go build -tags verbs -o "$tmp/gobench" ./cmd/gobench
GOBENCH_VM_TIMEOUT=900 transports/verbs/testvm/exec.sh "$PWD/transports/verbs/testvm/compare.sh" "$tmp/gobench" "$rounds" | tee "$tmp/rows"

# Both of a pair are of one round, so the median of the rounds' ratios is what counts.
awk '
function median(list, n,    i, j, x) {
	for (i = 2; i <= n; i++) { x = list[i]; for (j = i - 1; j > 0 && list[j] > x; j--) list[j + 1] = list[j]; list[j + 1] = x }
	return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
}
function row(what, ours, theirs, unit, target, above,    i, n, a, b, r, m) {
	for (i = 1; i <= rounds; i++)
		if ((i, ours) in v && (i, theirs) in v && v[i, theirs] > 0) { n++; a[n] = v[i, ours]; b[n] = v[i, theirs]; r[n] = a[n] / b[n] }
	if (!n) { print what ": no round has both"; failed = 1; return }
	m = median(r, n)
	printf "%-34s %8.2f %8.2f %s  ratio %.2f (of %d rounds)", what, median(a, n), median(b, n), unit, m, n
	if (!target) { print ""; return }
	printf ", target %s %s: %s\n", above ? "at least" : "at most", target, (above ? m >= target : m <= target) ? "held" : "MISSED"
	if (!(above ? m >= target : m <= target)) failed = 1
}
NF == 3 { v[$1, $2] = $3; if ($1 > rounds) rounds = $1 }
# perftest counts in 2^20 bytes, gobench in 10^6.
$2 == "bandwidth" || $2 == "put_bw" { v[$1, $2] = $3 / 1.048576 }
END {
	print ""
	printf "%-34s %8s %8s\n", "medians", "gobench", "perftest"
	row("half round trip, 8 B, level raw", "raw", "ib_send_lat", "us", 1.15, 0)
	row("the same, loop=go", "raw_loop_go", "ib_send_lat", "us")
	row("half round trip, 8 B, level device", "device", "ib_send_lat", "us", 1.4, 0)
	row("put there and back, 8 B", "write_native", "ib_write_lat", "us")
	row("the same, loop=go", "write_go", "ib_write_lat", "us")
	row("get, 8 B", "read_native", "ib_read_lat", "us")
	row("the same, loop=go", "read_go", "ib_read_lat", "us")
	row("puts, 1 MiB, level raw", "put_bw", "ib_write_bw", "MiB/s")
	row("bandwidth, 1 MiB", "bandwidth", "ib_write_bw", "MiB/s", 0.95, 1)
	exit failed
}' "$tmp/rows"
