package kernel

// Binary sets dst[i] = a[i] OP b[i] for all elements. Elements lie in memory as
// bytes, as messages have them, and at any address. The lengths must be equal and
// a multiple of an element's. dst may be the same slice as a or b, and must not
// overlap them otherwise. A source shorter than dst panics. Nothing is allocated.
type Binary func(dst, a, b []byte)

// Reductions holds the kernels for one element type.
type Reductions struct {
	// Sum and Prod: integers wrap around.
	Sum, Prod Binary
	// Sum3 and Sum4 add several sources in one pass over memory, from left to
	// right: dst[i] = (s0[i] + s1[i]) + s2[i], with the roundings of Sum called
	// twice. dst may be the same slice as any source.
	Sum3 func(dst, s0, s1, s2 []byte)
	Sum4 func(dst, s0, s1, s2, s3 []byte)
	// Max is a > b ? a : b and Min is a < b ? a : b, as in the MPI libraries: b if one of the two
	// is a NaN, or if they are zeros of different signs. They are nil for complex numbers.
	Max, Min Binary
}

// Bits holds the bitwise kernels, for every integer type.
type Bits struct{ And, Or, Xor Binary }
