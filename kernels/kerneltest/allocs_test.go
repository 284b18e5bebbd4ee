package kerneltest

import "testing"

var kept []byte

// A function that allocates in most calls, or in one of ten, is detected.
func TestAllocsSeesWhatHappensNowAndThen(t *testing.T) {
	for _, c := range []struct {
		of, times int // f allocates in this many of each of calls
		want      bool
	}{{1, 0, false}, {1, 1, true}, {10, 9, true}, {10, 1, true}} {
		calls := 0
		got := Allocs(func() {
			if calls%c.of < c.times {
				kept = make([]byte, 100)
			}
			calls++
		})
		if got > 0 != c.want {
			t.Errorf("%d allocations in %d of %d calls", got, c.times, c.of)
		}
	}
}

// Occasional allocations of the runtime are not counted.
func TestAllocsForgivesASingleOne(t *testing.T) {
	calls := 0
	if n := Allocs(func() {
		if calls++; calls == 5 {
			kept = make([]byte, 100)
		}
	}); n != 0 {
		t.Errorf("%d allocations, of which there was one in all", n)
	}
}
