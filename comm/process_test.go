package comm_test

import (
	"os"
	"syscall"
	"testing"
	"time"

	"gobench/comm"
	"gobench/comm/schedule"
	"gobench/launch"
	"gobench/launch/rendezvous"
)

// roleVictim is set in the processes that TestDeathOfAProcess starts.
const roleVictim = "GOBENCH_TEST_VICTIM"

// A process is killed in an operation in shared memory: all others get an error that names it
// within the two seconds that docs/collectives.md promises, and two more for a busy machine.
func TestDeathOfAProcess(t *testing.T) {
	if os.Getenv(roleVictim) != "" {
		survive(t)
		return
	}
	r, err := launch.Local(t.Context(), launch.Spec{
		Ranks: 4, Args: []string{"-test.run=^TestDeathOfAProcess$"}, Env: append(os.Environ(), roleVictim+"=1"),
		Linger: time.Hour,
	})
	if err != nil {
		t.Fatal(err)
	}
	for rank, s := range r.Ranks {
		if rank == 2 && s.Signal != syscall.SIGKILL || rank != 2 && s.Code != 0 {
			t.Errorf("rank %d: %v", rank, s)
		}
	}
}

// survive is one rank. Rank 2 kills itself.
func survive(t *testing.T) {
	const victim = 2
	rank, err := rendezvous.FromEnv()
	if err != nil {
		t.Fatal(err)
	}
	// What CloseAll returns is the loss of the rank or, where that came first, of a survivor.
	_ = comm.Run(t.Context(), driver(t, "smem"), rank, comm.Options{}, func(w *comm.Comm) error {
		for n := 0; ; n++ {
			if n == 100 && w.Rank() == victim {
				syscall.Kill(os.Getpid(), syscall.SIGKILL)
			}
			begin := time.Now()
			err := comm.Barrier(w)
			if err == nil {
				continue
			}
			if err := lost("barrier", err, victim); err != nil {
				t.Error(err)
			}
			if took, by := time.Since(begin), w.Algorithm(schedule.Barrier); took > 4*time.Second || by != "smem-flags" {
				t.Errorf("the error came after %v, by %s", took, by)
			}
			return nil
		}
	})
}
