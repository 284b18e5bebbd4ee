package kerneltest

import (
	"sync/atomic"
	"testing"

	"gobench/comm"
	"gobench/internal/device/decorator"
	"gobench/kernels/application"
	"gobench/kernels/npb"
)

// Noticed checks that class S of a kernel fails verification if one of the messages that a rank
// receives in a step is damaged. It damages each message in a run of its own. Steps count from 0.
// Step 0 includes the warm-up, and the step after the last is the verification. Messages count from
// 1; without any, all are damaged in turn. Callers must leave out messages whose middle bytes,
// which are damaged, the receiver does not use.
func Noticed(t *testing.T, k *npb.Kernel, ranks, rank, step int, messages ...int) {
	t.Helper()
	all, verified := damaged(t, k, ranks, rank, step, 0)
	if all == 0 || !verified {
		t.Fatalf("%s: rank %d of %d receives %d messages in step %d, verified without damage: %t", k.Name, rank, ranks, all, step, verified)
	}
	if messages == nil {
		for n := range all {
			messages = append(messages, n+1)
		}
	}
	for _, n := range messages {
		if n > all {
			t.Errorf("%s: rank %d of %d receives %d messages in step %d, not %d", k.Name, rank, ranks, all, step, n)
		}
		if _, verified := damaged(t, k, ranks, rank, step, n); verified {
			t.Errorf("%s on %d ranks is verified with message %d of %d damaged that rank %d receives in step %d", k.Name, ranks, n, all, rank, step)
		}
	}
}

// damaged runs class S of a kernel. Of the messages with data that a rank receives in a step it
// damages number n, from 1; 0 damages none. It returns their number and whether the run is
// verified.
func damaged(t *testing.T, k *npb.Kernel, ranks, rank, step, n int) (messages int, verified bool) {
	t.Helper()
	const rare = 1 << 40 // messages: no run has as many
	tally := decorator.Tally{Seen: rare - n}
	var right atomic.Bool
	run := func(r *application.Rank) error {
		var own *application.Rank
		counted := &tally
		if r.Comm.Rank() != rank { // all are wrapped, so that they choose the same algorithms
			counted = new(decorator.Tally)
		}
		now := func(int32) bool {
			if own == nil {
				return false // the communicator is being made
			}
			at, _ := own.Progress()
			return at == step
		}
		world, err := comm.World(decorator.CorruptIn(now, r.Comm.Device(), rare, counted), comm.Options{Context: 1 << 10})
		if err != nil {
			return err
		}
		own = application.NewRank(t.Context(), world, r.Team)
		own.Aside = r.Comm
		instance, err := k.New(own, npb.S)
		if err != nil {
			return err
		}
		o, err := npb.Run(own, k, npb.S, instance)
		if r.Comm.Rank() == 0 {
			right.Store(o.Verified)
		}
		return err
	}
	if n == 0 {
		Run(t, Shared, ranks, 1, run)
	} else {
		_ = Try(Shared, ranks, 1, run) // an error also counts: IS checks lengths before it uses them
	}
	return tally.Seen - (rare - n), right.Load()
}
