package bench

import (
	"context"
	"testing"

	"gobench/comm"
	"gobench/device"
	"gobench/internal/allocs"
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
