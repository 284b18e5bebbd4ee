package simd

// A Copier is a routine that copies memory. The processor and the size determine the fastest one,
// so callers choose by measurement.
type Copier struct {
	Name string // "go", "rep", "avx2", "avx512" or "stream"
	// Copy copies src to dst, which must be at least as long and must not overlap it. Both may be
	// at any address. Nothing is allocated.
	Copy func(dst, src []byte)
	// Around: stores bypass the caches, so that dst is in no cache afterwards.
	Around bool
}

// GoCopy is Go's own copy, which exists everywhere.
var GoCopy = Copier{Name: "go", Copy: func(dst, src []byte) { copy(dst, src) }}

// Copiers returns the routines of this processor, GoCopy first.
func Copiers() []Copier {
	list := []Copier{GoCopy}
	for _, s := range all {
		if s.copy != nil {
			list = append(list, Copier{Name: s.Level, Copy: s.copy})
		}
	}
	return append(list, stringCopiers()...)
}

// CopierOf returns the routine of that name, and false if this processor or build lacks it.
func CopierOf(name string) (Copier, bool) {
	for _, c := range Copiers() {
		if c.Name == name {
			return c, true
		}
	}
	return Copier{}, false
}

// Go's copy bypasses the caches from 1 MiB on. A block that fits into the caches is read again
// soon, so it is copied in pieces, which takes 0.6 of the time (docs/notes/tcp.md).
const (
	copyPiece = 512 << 10
	maxCached = 8 << 20
)

// CopyCached copies src to dst by Go's copy, and leaves in the caches what fits into them. dst must
// be at least as long and must not overlap src.
func CopyCached(dst, src []byte) {
	for len(src) > copyPiece && len(src) <= maxCached {
		copy(dst, src[:copyPiece])
		dst, src = dst[copyPiece:], src[copyPiece:]
	}
	copy(dst, src)
}
