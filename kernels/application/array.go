package application

// Element lists the element types of large arrays.
type Element interface {
	~uint16 | ~int32 | ~uint32 | ~int64 | ~float32 | ~float64 | ~complex64 | ~complex128
}

// hugePage is the size of a huge page on the supported architectures.
const hugePage = 2 << 20

// Array returns n zeros, on huge pages if the system provides them on request. It is meant for
// arrays with scattered accesses, which cause many TLB misses on small pages. Pages are allocated
// at the first touch, so each thread should first touch the part that it works on. The garbage
// collector frees the array.
func Array[T Element](n int) []T {
	a := make([]T, n)
	advise(a)
	return a
}

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
