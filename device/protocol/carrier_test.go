package protocol

import "testing"

// Packets of a message are as few as possible, none is above the limit, and only the last is
// much shorter than the others.
func TestPieces(t *testing.T) {
	for _, fragment := range []int{64, 100, 4096, 65408} {
		k := &carrier{fragment: fragment}
		for _, size := range []int{1, 63, 64, 101, 4096, 65408, 65409, 65536, 100_000, 1 << 20} {
			first, packets, left := k.piece(size), 0, size
			for ; left > 0; packets++ {
				n := k.piece(left)
				if n <= 0 || n > fragment || n > left {
					t.Fatalf("%d bytes in packets of %d: one of %d where %d are left", size, fragment, n, left)
				}
				if n < first/2 && first > 128 {
					t.Errorf("%d bytes in packets of %d: one of %d beside one of %d", size, fragment, n, first)
				}
				left -= n
			}
			if least := (size + fragment - 1) / fragment; packets != least {
				t.Errorf("%d bytes in packets of %d: %d packets, not %d", size, fragment, packets, least)
			}
		}
	}
}
