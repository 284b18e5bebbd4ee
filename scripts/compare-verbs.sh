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

# The host moves the two emulated processors near to each other and far within a hundredth of a second, which is a factor of
# two for everybody, and each run has both in a mixture of its own. So a latency is judged by its fastest event of all rounds,
# with the medians beside it; a bandwidth, which no single event has, by the median of the rounds' ratios.
awk '
function median(list, n,    i, j, x) {
	for (i = 2; i <= n; i++) { x = list[i]; for (j = i - 1; j > 0 && list[j] > x; j--) list[j + 1] = list[j]; list[j + 1] = x }
	return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
}
function gather(name, of, list,    i, n) {
	for (i = 1; i <= rounds; i++) if ((i, name) in of) list[++n] = of[i, name]
	return n
}
function judge(ratio, target, above) {
	if (!target) { print ""; return }
	printf ", target %s %s: %s\n", above ? "at least" : "at most", target, (above ? ratio >= target : ratio <= target) ? "held" : "MISSED"
	if (!(above ? ratio >= target : ratio <= target)) failed = 1
}
function latency(what, ours, theirs, target,    i, n, m, a, b, fast, slow) {
	if (!(n = gather(ours, typical, a)) || !(m = gather(theirs, typical, b))) { print what ": not measured"; failed = 1; return }
	printf "%-34s %8.2f %8.2f us    %.2f", what, median(a, n), median(b, m), median(a, n) / median(b, m)
	gather(ours, least, a); gather(theirs, least, b)
	fast = a[1]; for (i = 2; i <= n; i++) if (a[i] < fast) fast = a[i]
	slow = b[1]; for (i = 2; i <= m; i++) if (b[i] < slow) slow = b[i]
	printf "; fastest %6.2f %6.2f  %.2f", fast, slow, fast / slow
	judge(fast / slow, target, 0)
}
function bandwidth(what, ours, theirs, target,    i, n, a, b, r) {
	for (i = 1; i <= rounds; i++)
		if ((i, ours) in typical && (i, theirs) in typical) { n++; a[n] = typical[i, ours]; b[n] = typical[i, theirs]; r[n] = a[n] / b[n] }
	if (!n) { print what ": not measured"; failed = 1; return }
	printf "%-34s %8.2f %8.2f MiB/s %.2f", what, median(a, n), median(b, n), median(r, n)
	judge(median(r, n), target, 1)
}
NF >= 3 && $3 > 0 { typical[$1, $2] = $3; if (NF > 3) least[$1, $2] = $4; if ($1 > rounds) rounds = $1 }
# perftest counts in 2^20 bytes, gobench in 10^6.
$2 == "bandwidth" || $2 == "put_bw" { typical[$1, $2] = $3 / 1.048576 }
END {
	print ""
	printf "%-34s %8s %8s       ratio (medians of %d rounds)\n", "", "gobench", "perftest", rounds
	latency("half round trip, 8 B, level raw", "raw", "ib_send_lat", 1.15)
	latency("the same, loop=go", "raw_loop_go", "ib_send_lat")
	latency("half round trip, 8 B, level device", "device", "ib_send_lat", 1.4)
	latency("put there and back, 8 B", "write_native", "ib_write_lat")
	latency("the same, loop=go", "write_go", "ib_write_lat")
	latency("get, 8 B", "read_native", "ib_read_lat")
	latency("the same, loop=go", "read_go", "ib_read_lat")
	bandwidth("puts, 1 MiB, level raw", "put_bw", "ib_write_bw")
	bandwidth("bandwidth, 1 MiB", "bandwidth", "ib_write_bw", 0.95)
	exit failed
}' "$tmp/rows"
