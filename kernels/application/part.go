package application

// Part divides n items among threads and returns the range [lo, hi) of one thread. Each gets
// n/threads items, and each of the first n%threads gets one more.
func Part(n, thread, threads int) (lo, hi int) {
	each, more := n/threads, n%threads
	lo = thread*each + min(thread, more)
	hi = lo + each
	if thread < more {
		hi++
	}
	return lo, hi
}
