package simd

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"unsafe"
)

// A routine copies every byte, and none around them.
func TestCopiers(t *testing.T) {
	const longest, guard = 1500, 200
	from, to := make([]byte, longest+guard), make([]byte, longest+guard)
	for i := range from {
		from[i] = byte(rand.Int())
	}
	for _, c := range Copiers() {
		for n := range longest {
			at, shift := rand.IntN(guard/2), rand.IntN(guard/2)
			src := from[at : at+n]
			clear(to)
			c.Copy(to[shift:], src)
			if !bytes.Equal(to[shift:shift+n], src) {
				t.Fatalf("%s: %d bytes from %p to %p arrive changed", c.Name, n, unsafe.SliceData(src), &to[shift])
			}
			clear(to[shift : shift+n])
			if i := bytes.IndexFunc(to, func(r rune) bool { return r != 0 }); i >= 0 {
				t.Fatalf("%s: %d bytes at %d: byte %d was written, too", c.Name, n, shift, i)
			}
		}
		if allocs := testing.AllocsPerRun(10, func() { c.Copy(to, from) }); allocs != 0 {
			t.Errorf("%s allocates %v times", c.Name, allocs)
		}
	}
}

func TestCopierOf(t *testing.T) {
	for _, c := range Copiers() {
		if found, ok := CopierOf(c.Name); !ok || found.Name != c.Name {
			t.Errorf("CopierOf(%q) is %q, %v", c.Name, found.Name, ok)
		}
	}
	if _, ok := CopierOf("none"); ok {
		t.Error("there is a routine none")
	}
}

func TestCopyCached(t *testing.T) {
	for _, n := range []int{0, 1, copyPiece - 1, copyPiece, copyPiece + 1, 3*copyPiece + 5, maxCached, maxCached + 1} {
		src, dst := make([]byte, n), make([]byte, n+1)
		for i := range src {
			src[i] = byte(1 + i%251)
		}
		if CopyCached(dst[:n], src); !bytes.Equal(dst[:n], src) || dst[n] != 0 {
			t.Errorf("a copy of %d bytes differs, or writes more", n)
		}
	}
}
