package bench

import (
	"slices"
	"strings"
	"testing"
	"time"

	"gobench/bench/record"
	"gobench/bench/stats"
	"gobench/device"
)

// The largest difference between two readings counts, not the largest total.
func TestMostStolenTime(t *testing.T) {
	for _, c := range []struct {
		before, now []float64
		want        float64
	}{
		{nil, nil, 0},
		{[]float64{1000, 100}, []float64{1000.5, 102}, 2},
		{[]float64{5, 5}, []float64{5, 5}, 0},
		{[]float64{5}, []float64{4}, 0}, // the counter of a core that was taken offline
	} {
		if got := maxStolen(c.before, c.now); got != c.want {
			t.Errorf("from %v to %v: %g s, want %g", c.before, c.now, got, c.want)
		}
	}
}

func TestStealIsAShareOfTheLaunch(t *testing.T) {
	c := &conductor{rank: &rank{plan: Plan{Cores: []int{-1, -1}}}, launched: time.Now().Add(-time.Hour), stolenBefore: []float64{-360, -36}}
	if got := c.steal(); got < 0.09 || got > 0.1 {
		t.Errorf("360 s of an hour are %g", got)
	}
	c.stolenBefore[0] = -1e6
	if got := c.steal(); got != 1 {
		t.Errorf("more than all is %g", got)
	}
	c.launched = time.Now().Add(time.Hour)
	if got := c.steal(); got != 0 {
		t.Errorf("before the launch: %g", got)
	}
}

// silent is a channel without warnings.
type silent struct{ device.Channel }

func (silent) Info() device.Info { return device.Info{} }

func TestStealIsReported(t *testing.T) {
	c := &conductor{rank: &rank{ch: silent{}}}
	for steal, want := range map[float64]string{0: "", 0.05: "", 0.2: "took 20 % of the time of a core"} {
		got := strings.Join(c.warnings(&outcome{steal: steal, summary: stats.Summary{N: 1}}), "\n")
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("steal %g: %q", steal, got)
		}
	}
}

// The subtracted cost is halfway between those of the ranks, and the floor covers the difference.
func TestClocksOfDifferentCost(t *testing.T) {
	c := &conductor{facts: []RankFacts{
		{Clock: record.Clock{Cost: 30e-9, Resolution: 1e-9}},
		{Clock: record.Clock{Cost: 50e-9, Resolution: 4e-9, CostError: 3e-9}},
	}}
	times := []int64{1000, 41, 40, 5}
	c.subtractClock(times)
	if !slices.Equal(times, []int64{960, 1, 1, 1}) {
		t.Errorf("times without the clock are %v", times)
	}
	// half a step, half of the difference, and the rank's own uncertainty
	for batch, want := range map[int]float64{1: 15e-9, 5: 3e-9} {
		if got := c.floor(batch); got < want*(1-1e-9) || got > want*(1+1e-9) {
			t.Errorf("batch %d: floor %g, want %g", batch, got, want)
		}
	}
}
