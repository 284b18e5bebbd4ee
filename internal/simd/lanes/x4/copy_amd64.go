// Code generated from ../x2/copy.go; DO NOT EDIT.

//go:build goexperiment.simd && (amd64 || arm64) && go1.27 && !go1.28

package lanes

// Copy copies src to dst, which must be at least as long and must not overlap it.
func Copy(dst, src []byte) {
	d, p, _, n := whole(dst[:len(src)], src, src, func(dst, src, _ []byte) { copy(dst, src) })
	i := 0
	for ; i <= n-4*width; i += 4 * width {
		w, x, y, z := *on[u8](p, i), *on[u8](p, i+width), *on[u8](p, i+2*width), *on[u8](p, i+3*width)
		*on[u8](d, i), *on[u8](d, i+width), *on[u8](d, i+2*width), *on[u8](d, i+3*width) = w, x, y, z
	}
	for ; i < n; i += width {
		*on[u8](d, i) = *on[u8](p, i)
	}
	end()
}
