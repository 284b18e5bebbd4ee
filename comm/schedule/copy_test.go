package schedule

import (
	"bytes"
	"testing"
)

func TestCopyCached(t *testing.T) {
	for _, n := range []int{0, 1, copyPiece - 1, copyPiece, copyPiece + 1, 3*copyPiece + 5, mostCached, mostCached + 1} {
		src, dst := make([]byte, n), make([]byte, n+1)
		for i := range src {
			src[i] = byte(1 + i%251)
		}
		if copyCached(dst[:n], src); !bytes.Equal(dst[:n], src) || dst[n] != 0 {
			t.Errorf("a copy of %d bytes differs, or writes more", n)
		}
	}
}
