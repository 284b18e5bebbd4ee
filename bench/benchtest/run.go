package benchtest

import (
	"context"
	"errors"
	"sync"

	"gobench/bench"
	"gobench/bench/record"
	"gobench/device"
)

// Run runs a plan over channels, one goroutine for each, and returns every
// rank's error and what rank 0 found. A rank that has returned closes its
// channel, as a process that ends does.
func Run(ctx context.Context, channels []device.Channel, plan bench.Plan) ([]error, *Found) {
	found := &Found{}
	errs := make([]error, len(channels))
	var wg sync.WaitGroup
	for i, ch := range channels {
		wg.Go(func() {
			errs[i] = bench.Run(ctx, ch, plan, found)
			errs[i] = errors.Join(errs[i], ch.Close())
		})
	}
	wg.Wait()
	return errs, found
}

// RunNet is Run over a Net.
func RunNet(ctx context.Context, net *Net, plan bench.Plan) ([]error, *Found) {
	var channels []device.Channel
	for _, c := range net.Channels() {
		channels = append(channels, c)
	}
	return Run(ctx, channels, plan)
}

// Found is a Sink that keeps everything.
type Found struct {
	Ranks  []bench.RankFacts
	Live   []bench.Progress
	Points []record.Point

	OnStarted func() error      // if not nil, called by Started
	OnPoint   func(n int) error // if not nil, called by Point with the number of points so far
}

func (f *Found) Started(ranks []bench.RankFacts) error {
	f.Ranks = ranks
	if f.OnStarted != nil {
		return f.OnStarted()
	}
	return nil
}

func (f *Found) Progress(p bench.Progress) { f.Live = append(f.Live, p) }

func (f *Found) Point(p record.Point) error {
	f.Points = append(f.Points, p)
	if f.OnPoint != nil {
		return f.OnPoint(len(f.Points))
	}
	return nil
}
