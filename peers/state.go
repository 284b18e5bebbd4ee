package main

import (
	"context"
	"time"
)

// A state classifies the largest distance between the cores of a run. With a rank on each core
// there is no pair to choose.
type state int

const (
	near  state = iota // before and after the run
	far                // before and after the run
	mixed              // it changed meanwhile: the run counts nowhere
)

func (s state) String() string { return [...]string{"near", "far", "mixed"}[s] }

// farthest measures all pairs of the given cores and returns the largest distance.
func (p *pair) farthest(ctx context.Context, cores []int) (float64, error) {
	all, err := distances(ctx, p.program, cores)
	if err != nil {
		return 0, err
	}
	var most float64
	for _, x := range all {
		p.updateFloor(x.distance)
		most = max(most, x.distance)
	}
	return most, nil
}

// await measures the cores until all are near, for at most half a second, and returns the last
// largest distance.
func (p *pair) await(ctx context.Context, cores []int) (float64, error) {
	for i := 0; ; i++ {
		most, err := p.farthest(ctx, cores)
		if err != nil || most <= nearFactor*p.floor || i == 10 {
			return most, err
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// state classifies the largest distances before and after a run.
func (p *pair) state(before, after float64) state {
	limit := nearFactor * p.floor
	switch {
	case before <= limit && after <= limit:
		return near
	case before > limit && after > limit:
		return far
	}
	return mixed
}
