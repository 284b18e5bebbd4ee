package bench

import (
	"context"
	"slices"
	"testing"

	"gobench/bench/team"
	"gobench/comm"
	"gobench/device"
	"gobench/internal/allocs"
	"gobench/internal/collect"
	"gobench/internal/race"
	"gobench/launch"
	_ "gobench/transports/smem"
)

// pass sends a byte to the other of two ranks and receives one.
type pass struct {
	ch   device.Channel
	data [1]byte
}

func (p *pass) Do(k int) error {
	for range k {
		q, err := p.ch.Isend(p.data[:], 1-p.ch.Rank(), 1, Context)
		if err != nil {
			return err
		}
		if _, err := p.ch.Recv(p.data[:], 1-p.ch.Rank(), 1, Context); err != nil {
			return err
		}
		if _, err := p.ch.Wait(q); err != nil {
			return err
		}
	}
	return nil
}

// Threads that take turns share a channel and the events, and other ranks have one thread.
func TestThreadsTakeTurns(t *testing.T) {
	group, err := team.New(2, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer group.Close()
	for rank, want := range [][]int{{5}, {3, 2}} {
		var ops []*counted
		ts := threads{team: group, channels: []device.Channel{pair{rank: rank}, nil}}
		op := ts.op(&Benchmark{
			New: func(env *Env) Op {
				ops = append(ops, &counted{shared: env.Channel == ts.channels[0]})
				return ops[len(ops)-1]
			},
			Turns: func(rank, ranks int) bool { return rank == 1 },
		}, Env{Channel: ts.channels[0]})
		if err := op.Do(5); err != nil {
			t.Fatal(err)
		}
		if got := collect.Each(ops, func(c *counted) int { return c.events }); !slices.Equal(got, want) || !ops[len(ops)-1].shared {
			t.Errorf("rank %d: threads with %v events, want %v, over the channel of all: %t", rank, got, want, ops[len(ops)-1].shared)
		}
		// One event at a time, as with copies of the buffers, continues the turns.
		want[len(want)-1]++
		if err := op.Do(1); err != nil {
			t.Fatal(err)
		}
		if got := collect.Each(ops, func(c *counted) int { return c.events }); !slices.Equal(got, want) {
			t.Errorf("rank %d: threads with %v events after one more, want %v", rank, got, want)
		}
	}
}

// pair is a channel that only knows its rank, of 2.
type pair struct {
	device.Channel
	rank int
}

func (p pair) Rank() int { return p.rank }
func (p pair) Size() int { return 2 }

// counted counts its events.
type counted struct {
	events int
	shared bool
}

func (c *counted) Do(k int) error { c.events += k; return nil }

// Events of several threads allocate nothing.
func TestThreadsAllocateNothing(t *testing.T) {
	driver, err := device.Lookup("smem")
	if err != nil {
		t.Fatal(err)
	}
	err = launch.Goroutines(t.Context(), 2, func(ctx context.Context, job device.Job) error {
		return comm.Run(ctx, driver, job, comm.Options{}, func(world *comm.Comm) error {
			ch, err := comm.NewChannel(world)
			if err != nil {
				return err
			}
			var two threads
			if err := two.set(2, ch, nil); err != nil {
				return err
			}
			op := two.op(&Benchmark{New: func(env *Env) Op { return &pass{ch: env.Channel} }}, Env{})
			failed := op.Do(20)
			do := func() {
				if err := op.Do(2); err != nil {
					failed = err
				}
			}
			const runs = 20
			if job.Rank() == 0 {
				if n := allocs.Count(runs, do); n > 0 && !race.Enabled {
					t.Errorf("%d allocations", n)
				}
			} else {
				for range allocs.Calls(runs) {
					do()
				}
			}
			if failed != nil {
				return failed
			}
			if err := two.close(); err != nil {
				return err
			}
			return ch.Close()
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}
