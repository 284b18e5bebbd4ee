package benchtest

import (
	"context"
	"errors"
	"sync"
	"time"

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
	Left   []bench.Case // left out

	// Called, if not nil, after the result is stored.
	OnStarted  func() error
	OnProgress func(bench.Progress)
	OnPoint    func(record.Point) error
}

func (f *Found) Started(ranks []bench.RankFacts) error {
	f.Ranks = ranks
	if f.OnStarted != nil {
		return f.OnStarted()
	}
	return nil
}

func (f *Found) Progress(p bench.Progress) {
	f.Live = append(f.Live, p)
	if f.OnProgress != nil {
		f.OnProgress(p)
	}
}

func (f *Found) Point(p record.Point) error {
	f.Points = append(f.Points, p)
	if f.OnPoint != nil {
		return f.OnPoint(p)
	}
	return nil
}

// LeftOut implements bench.Sink.
func (f *Found) LeftOut(c bench.Case, _ time.Duration) error {
	f.Left = append(f.Left, c)
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
