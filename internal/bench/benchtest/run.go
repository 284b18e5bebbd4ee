package benchtest

import (
	"context"
	"errors"
	"sync"

	"gobench/bench"
	"gobench/device"
	"gobench/record"
)

// Run runs a plan over channels, one goroutine for each, and returns the errors by rank. It closes
// the channel of a rank when its run has returned, as at the end of a process.
func Run(ctx context.Context, channels []device.Channel, plan bench.Plan, found *Found) []error {
	errs := make([]error, len(channels))
	var wg sync.WaitGroup
	for i, ch := range channels {
		wg.Go(func() {
			errs[i] = bench.Run(ctx, ch, plan, found)
			errs[i] = errors.Join(errs[i], ch.Close())
		})
	}
	wg.Wait()
	return errs
}

// Devices returns the channels of a network as arguments for Run.
func (n *Net) Devices() []device.Channel {
	var channels []device.Channel
	for _, c := range n.Channels() {
		channels = append(channels, c)
	}
	return channels
}

// Found is a Sink that keeps all results.
type Found struct {
	Ranks  []bench.RankFacts
	Live   []bench.Progress
	Points []record.Point
	Left   []bench.LeftOut

	// Called, if not nil, after the result is stored.
	OnEvent func(bench.Event) error
	OnPoint func(record.Point) error
}

// Event implements bench.Sink.
func (f *Found) Event(e bench.Event) error {
	switch {
	case e.Ranks != nil:
		f.Ranks = e.Ranks
	case e.Progress != nil:
		f.Live = append(f.Live, *e.Progress)
	case e.LeftOut != nil:
		f.Left = append(f.Left, *e.LeftOut)
	}
	if f.OnEvent != nil {
		return f.OnEvent(e)
	}
	return nil
}

// Point implements bench.Sink.
func (f *Found) Point(p record.Point) error {
	f.Points = append(f.Points, p)
	if f.OnPoint != nil {
		return f.OnPoint(p)
	}
	return nil
}

// Cells returns the points by case, in the order of the plan. A case over a real transport has a
// point for each state of its cores.
func (f *Found) Cells() [][]record.Point {
	var cells [][]record.Point
	for i, p := range f.Points {
		if i == 0 || !p.Time.Equal(f.Points[i-1].Time) { // all points of a cell have the time of its start
			cells = append(cells, nil)
		}
		last := &cells[len(cells)-1]
		*last = append(*last, p)
	}
	return cells
}
