package kerneltest

import (
	"fmt"
	"testing"

	"gobench/kernels/application"
	"gobench/kernels/npb"
)

// Volume runs a kernel in which all ranks send alike, and wants the profile of every
// rank to have as many messages, bytes and collective operations as theory says.
func Volume(t *testing.T, k *npb.Kernel, class npb.Class, ranks int, want application.Traffic, collectives int64) {
	t.Helper()
	Run(t, Shared, ranks, 1, func(r *application.Rank) error {
		instance, err := k.New(r, class)
		if err != nil {
			return err
		}
		if _, err := instance.Run(); err != nil {
			return err
		}
		var sent application.Traffic
		for _, p := range r.Profile.Peers {
			sent.Messages += p.Messages
			sent.Bytes += p.Bytes
		}
		if sent != want || r.Profile.Collectives.Messages != collectives {
			return fmt.Errorf("%s class %v on %d ranks: each sends %+v and takes part in %d collective operations; want %+v and %d",
				k.Name, class, ranks, sent, r.Profile.Collectives.Messages, want, collectives)
		}
		return nil
	})
}

// wholeTime wants the phases of the last run of a rank to be all of its time: to
// some roundings, because every moment belongs to one phase.
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
