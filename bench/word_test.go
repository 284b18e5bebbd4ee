package bench

import "testing"

// One wrong byte, wherever it is, is seen and does not change the number.
func TestWordSurvivesOneWrongByte(t *testing.T) {
	for at := range wordSize {
		var b [wordSize]byte
		putWord(&b, 0x123456789ABCDEF0)
		if w, wrong, ok := getWord(&b); w != 0x123456789ABCDEF0 || wrong >= 0 || !ok {
			t.Fatalf("%#x, %d, %v", w, wrong, ok)
		}
		b[at] ^= 0x40
		if w, wrong, ok := getWord(&b); w != 0x123456789ABCDEF0 || wrong != at%16 || !ok {
			t.Errorf("byte %d wrong: %#x, %d, %v", at, w, wrong, ok)
		}
		b[(at+16)%wordSize] ^= 0x20
		if _, wrong, ok := getWord(&b); wrong < 0 || ok {
			t.Errorf("byte %d of both copies wrong: %d, %v", at, wrong, ok)
		}
	}
}
