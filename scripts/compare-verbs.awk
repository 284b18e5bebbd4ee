#!/usr/bin/awk -f
# Evaluates the rows of transports/verbs/testvm/compare.sh: round, name, gobench, perftest, samples of each.
#
# The host moves the two emulated processors near to each other and far apart within 10 ms, which changes all times by
# a factor of two, in different proportions in each run. A round's ratio is therefore that of medians of equally many
# samples, and the result is the median of the ratios of all rounds.
function median(list, n,    i, j, x) {
	for (i = 2; i <= n; i++) { x = list[i]; for (j = i - 1; j > 0 && list[j] > x; j--) list[j + 1] = list[j]; list[j + 1] = x }
	return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
}
function judge(what, name, unit, target, above,    i, n, a, b, r, m, held) {
	for (i = 1; i <= rounds; i++)
		if ((i, name) in ours) { n++; a[n] = ours[i, name]; b[n] = theirs[i, name]; r[n] = a[n] / b[n] }
	if (!n) {
		if (target) { print what ": not measured"; failed = 1 }
		return
	}
	m = median(r, n)
	printf "%-34s %8.2f %8.2f %-5s %.2f (%.2f to %.2f, n=%d)", what, median(a, n), median(b, n), unit, m, r[1], r[n], n
	if (!target) { print ""; return }
	held = above ? m >= target : m <= target
	printf ", target %s %s: %s\n", above ? "at least" : "at most", target, held ? "held" : "MISSED"
	if (!held) failed = 1
}
NF >= 5 && $3 > 0 && $4 > 0 { ours[$1, $2] = $3; theirs[$1, $2] = $4; if ($1 > rounds) rounds = $1 }
END {
	print ""
	printf "%-34s %8s %8s       ratio (medians, least and greatest of the rounds)\n", "", "gobench", "perftest"
	judge("half round trip, 8 B, level raw", "raw", "us")
	judge("the same, loop=native", "raw_native", "us", 1.15)
	judge("half round trip, 8 B, level device", "device", "us", 1.4)
	judge("put there and back, 8 B, native", "write_native", "us")
	judge("the same, loop=go", "write_go", "us")
	judge("get, 8 B, native", "read_native", "us")
	judge("the same, loop=go", "read_go", "us")
	judge("puts, 1 MiB, native", "put_bw", "MiB/s")
	judge("bandwidth, 1 MiB", "bandwidth", "MiB/s", 0.95, 1)
	exit failed
}
