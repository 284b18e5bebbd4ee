package cg

import (
	"math"
	"testing"
)

// The power method recovers from an error in one iteration, so every solution is checked.
func TestAMistakeBeforeTheEndIsSeen(t *testing.T) {
	c := &instance{iterations: []iteration{{1e-13, 9}, {2e-15, 8}}}
	if check := c.solved(); !check.Right() || check.Value != 1e-13 {
		t.Errorf("%+v", check)
	}
	for _, norm := range []float64{1e-6, math.NaN(), math.Inf(1)} {
		c.iterations[0].norm = norm
		if check := c.solved(); check.Right() {
			t.Errorf("a residual of %v is right: %+v", norm, check)
		}
	}
}
