package lanes

// Bits are combined eight bytes at a time.

func And(dst, a, b []byte) {
	n := len(dst)
	a, b = a[:n], b[:n]
	d, p, q := start(dst), start(a), start(b)
	i := 0
	for ; i+32 <= n; i += 32 {
		z, x, y := block[[4]uint64](d, i), block[[4]uint64](p, i), block[[4]uint64](q, i)
		z[0] = x[0] & y[0]
		z[1] = x[1] & y[1]
		z[2] = x[2] & y[2]
		z[3] = x[3] & y[3]
	}
	for ; i+8 <= n; i += 8 {
		*block[uint64](d, i) = *block[uint64](p, i) & *block[uint64](q, i)
	}
	for ; i < n; i++ {
		dst[i] = a[i] & b[i]
	}
}

func Or(dst, a, b []byte) {
	n := len(dst)
	a, b = a[:n], b[:n]
	d, p, q := start(dst), start(a), start(b)
	i := 0
	for ; i+32 <= n; i += 32 {
		z, x, y := block[[4]uint64](d, i), block[[4]uint64](p, i), block[[4]uint64](q, i)
		z[0] = x[0] | y[0]
		z[1] = x[1] | y[1]
		z[2] = x[2] | y[2]
		z[3] = x[3] | y[3]
	}
	for ; i+8 <= n; i += 8 {
		*block[uint64](d, i) = *block[uint64](p, i) | *block[uint64](q, i)
	}
	for ; i < n; i++ {
		dst[i] = a[i] | b[i]
	}
}

func Xor(dst, a, b []byte) {
	n := len(dst)
	a, b = a[:n], b[:n]
	d, p, q := start(dst), start(a), start(b)
	i := 0
	for ; i+32 <= n; i += 32 {
		z, x, y := block[[4]uint64](d, i), block[[4]uint64](p, i), block[[4]uint64](q, i)
		z[0] = x[0] ^ y[0]
		z[1] = x[1] ^ y[1]
		z[2] = x[2] ^ y[2]
		z[3] = x[3] ^ y[3]
	}
	for ; i+8 <= n; i += 8 {
		*block[uint64](d, i) = *block[uint64](p, i) ^ *block[uint64](q, i)
	}
	for ; i < n; i++ {
		dst[i] = a[i] ^ b[i]
	}
}
