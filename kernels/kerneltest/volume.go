package kerneltest

import (
	"fmt"
	"testing"

	"gobench/kernels/application"
	"gobench/kernels/npb"
)

// Sent is the traffic of a rank in a run: messages to others, and collective operations with the
// bytes that it contributes.
type Sent struct{ Messages, Collectives application.Traffic }

// Volume runs a kernel and checks that the profile of every rank has the messages, bytes and
// collective operations that theory predicts.
func Volume(t *testing.T, k *npb.Kernel, class npb.Class, ranks int, want func(rank int) Sent) {
	t.Helper()
	Run(t, Shared, ranks, 1, func(r *application.Rank) error {
		instance, err := k.New(r, class)
		if err != nil {
			return err
		}
		if _, err := instance.Run(); err != nil {
			return err
		}
		sent := Sent{Collectives: r.Profile.Collectives}
		for _, p := range r.Profile.Peers {
			sent.Messages.Messages += p.Messages
			sent.Messages.Bytes += p.Bytes
		}
		if want := want(r.Comm.Rank()); sent != want {
			return fmt.Errorf("%s class %v, rank %d of %d sends %+v, want %+v", k.Name, class, r.Comm.Rank(), ranks, sent, want)
		}
		return nil
	})
}

// wholeTime checks that the phases of the last run of a rank add up to its time, up to rounding.
func wholeTime(r *application.Rank) error {
	var sum float64
	for _, p := range application.Phases() {
		sum += r.Timers.Seconds(p)
	}
	if whole := r.Timers.Whole(); whole <= 0 || sum < whole*(1-1e-9) || sum > whole*(1+1e-9) {
		return fmt.Errorf("phases take %v s together, the run %v s", sum, whole)
	}
	return nil
}
