package pace

import "testing"

func TestLoop(t *testing.T) {
	// Additions of a loop that the compiler removed would take no time.
	if s := Loop(); s < 1e-7 || s > 1 {
		t.Errorf("the loop of %d turns takes %v s", turns, s)
	}
	if a, b := additions(), additions(); a != b || a == 0 {
		t.Errorf("the loop computes %d and %d", a, b)
	}
}
