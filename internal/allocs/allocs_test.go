package allocs

import "testing"

var kept []byte

// every returns a function that allocates in every nth call but the first few.
func every(n, first int, calls *int) func() {
	return func() {
		if *calls++; *calls > first && *calls%n == 0 {
			kept = make([]byte, 4096)
		}
	}
}

func TestCount(t *testing.T) {
	for _, c := range []struct{ n, every, first, want int }{
		{100, 1, 0, 100},
		{99, 3, 0, 33},
		{100, 100, 0, 1},
		{50, 1, 50, 50},
		{50, 1, 1 << 30, 0},
	} {
		calls := 0
		if got := Count(c.n, every(c.every, c.first, &calls)); got != c.want {
			t.Errorf("%d calls of which one in %d allocates: %d, want %d", c.n, c.every, got, c.want)
		}
		if calls != Calls(c.n) {
			t.Errorf("%d calls, want %d", calls, Calls(c.n))
		}
	}
	warm := 0
	if got := Count(10, func() {
		if warm++; warm <= 10 {
			kept = make([]byte, 10)
		}
	}); got != 0 {
		t.Errorf("what allocates while it gets warm: %d", got)
	}
}
