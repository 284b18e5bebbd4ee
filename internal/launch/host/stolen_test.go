package host

import "testing"

func TestStolen(t *testing.T) {
	const stat = "cpu  20 0 30 400 5 0 1 350 0 0\ncpu0 10 0 20 200 3 0 1 50 0 0\ncpu1 10 0 10 200 2 0 0 300 0 0\nintr 5\n"
	for core, want := range map[int]float64{0: 0.5, 1: 3, 2: 0, 10: 0} {
		if got := stolen(stat, core); got != want {
			t.Errorf("core %d: %v s, want %v", core, got, want)
		}
	}
	for _, bad := range []string{"", "cpu0", "cpu0 1 2 3 4 5 6 7 x", "cpu0 1 2 3 4 5 6 7 -1"} {
		if got := stolen(bad, 0); got != 0 {
			t.Errorf("%q: %v s", bad, got)
		}
	}
}
