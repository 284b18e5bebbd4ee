package bench

import (
	"slices"
	"strings"
	"testing"
	"time"

	"gobench/device"
	"gobench/record"
	"gobench/stats"
)

func TestStealIsAShareOfTheLaunch(t *testing.T) {
	r := &rank{ch: &lone{}, plan: Plan{Cores: []int{-1}}, launched: time.Now().Add(-time.Hour), stolenBefore: -360}
	if got := r.steal(); got < 0.09 || got > 0.1 {
		t.Errorf("360 s of an hour are %g", got)
	}
	for before, want := range map[float64]float64{
		-1e6: 1, // more than all
		5:    0, // the counter of a core that was taken offline
	} {
		if r.stolenBefore = before; r.steal() != want {
			t.Errorf("from %g s: %g, want %g", before, r.steal(), want)
		}
	}
	r.launched = time.Now().Add(time.Hour)
	if got := r.steal(); got != 0 {
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
