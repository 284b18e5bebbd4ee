package application

// Element is what large arrays are made of.
type Element interface {
	~uint16 | ~int32 | ~uint32 | ~int64 | ~float32 | ~float64 | ~complex64 | ~complex128
}

// hugePage is the size of a huge page on the machines that this is for.
const hugePage = 2 << 20

// Array returns n zeros, on huge pages where the system gives them on demand: it
// is for arrays that are walked through in many places at once, which with small
// pages spend their time on looking up addresses. Memory is taken when it is first
// touched, so a thread should touch first what it works on. The garbage collector
// takes it back.
func Array[T Element](n int) []T {
	a := make([]T, n)
	advise(a)
	return a
}
