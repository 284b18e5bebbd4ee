package op

// blockBytes is the length of the blocks in which CombineAll works: a block of the
// result and one of each of two sources fit in the L1 cache.
const blockBytes = 8 << 10

// CombineAll combines vectors from left to right, with the same rounding as successive calls of
// Combine: dst = ((s0 OP s1) OP s2) OP ... The lengths must be equal and a multiple of Elem. dst
// may be srcs[0], and must not overlap any source otherwise. One source is copied; without any, dst
// stays as it is.
func (o *Op) CombineAll(dst []byte, srcs [][]byte) {
	switch len(srcs) {
	case 0:
		return
	case 1:
		copy(dst, srcs[0])
		return
	case 2:
		o.combine(dst, srcs[0], srcs[1])
		return
	}
	block := max(blockBytes/o.Elem, 1) * o.Elem
	if o.sum4 != nil && len(srcs) <= 4 {
		block = max(len(dst), 1) // one pass anyway
	}
	for from := 0; from < len(dst); from += block {
		to := min(from+block, len(dst))
		if o.sum4 != nil {
			o.sumAll(dst[from:to], srcs, from, to)
		} else {
			o.each(dst[from:to], srcs, from, to)
		}
	}
}

// each combines the bytes from..to of three sources or more.
func (o *Op) each(dst []byte, srcs [][]byte, from, to int) {
	o.combine(dst, srcs[0][from:to], srcs[1][from:to])
	for _, s := range srcs[2:] {
		o.combine(dst, dst, s[from:to])
	}
}

// sumAll is each for sums, three sources at a time.
func (o *Op) sumAll(dst []byte, srcs [][]byte, from, to int) {
	left, rest := srcs[0][from:to], srcs[1:]
	for len(rest) >= 3 {
		o.sum4(dst, left, rest[0][from:to], rest[1][from:to], rest[2][from:to])
		left, rest = dst, rest[3:]
	}
	switch len(rest) {
	case 2:
		o.sum3(dst, left, rest[0][from:to], rest[1][from:to])
	case 1:
		o.combine(dst, left, rest[0][from:to])
	}
}

// Replace selects the right one. Accumulated into a window it is a put (MPI_REPLACE).
func Replace[T Number]() *Op { return of[T](&replacements) }

// NoOp selects the left one. With it a window is read like by a get (MPI_NO_OP).
func NoOp[T Number]() *Op { return of[T](&noOps) }

// Accumulators returns the operators of T that a window accepts, in an order that is the same on
// all ranks. An operator that T lacks is nil.
func Accumulators[T Number]() (list [12]*Op) {
	for i, t := range []*table{&sums, &prods, &maxima, &minima, &bitAnds, &bitOrs, &bitXors, &ands, &ors, &xors, &replacements, &noOps} {
		list[i] = of[T](t)
	}
	return list
}
