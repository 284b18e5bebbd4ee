package experiment

import (
	"testing"
	"time"

	"gobench/bench"
	"gobench/kernels/application"
)

// Applications are expected to take the time of their operations on the cores of the ranks, longer
// on a slower core; without a rate it is unknown. The start of ranks takes nothing else.
func TestExpectedTimeOfApplications(t *testing.T) {
	job := func(operations, rate float64) application.Job {
		return application.Job{Program: application.Program{Operations: operations, Rate: rate}}
	}
	for _, c := range []struct {
		jobs   []application.Job
		repeat int
		core   float64
		want   time.Duration // of a launch without its start
	}{
		{[]application.Job{job(100, 100)}, 0, 1, 1420 * time.Millisecond},
		{[]application.Job{job(100, 100)}, 0, 2, 2420 * time.Millisecond},
		{[]application.Job{job(100, 100)}, 3, 1, 3420 * time.Millisecond},
		{[]application.Job{job(1, 100)}, 0, 1, 225 * time.Millisecond},
		{[]application.Job{job(1, 100), job(100, 100)}, 0, 1, 1625 * time.Millisecond},
		{[]application.Job{job(1, 100), job(1, 0)}, 0, 1, -startTime},
	} {
		r := &measurement{Jobs: c.jobs, Repeat: c.repeat, Threads: 1, Launches: 2, Ranks: 1, Transports: make([]Transport, 1)}
		if got, _ := r.expectedTime(speed{core: c.core}); (got - 2*(startTime+c.want)).Abs() > time.Millisecond {
			t.Errorf("%d jobs, repeat %d, core %g: %v, want %v in a launch", len(c.jobs), c.repeat, c.core, got, c.want)
		}
	}
	r := &measurement{startup: true, Launches: 8, Transports: make([]Transport, 1)}
	if got, _ := r.expectedTime(speed{}); got != 8*startTime {
		t.Errorf("8 starts take %v", got)
	}
}

// Messages take the budgets of their cells over each transport, and the checks of their data at the
// rate of the machine.
func TestExpectedTimeOfMessages(t *testing.T) {
	of := func(transports int, check float64) time.Duration {
		r := &measurement{Launches: 4, Ranks: 2, Transports: make([]Transport, transports)}
		r.Plan.Cases = []bench.Case{{Size: 32 << 20}}
		r.Plan.Stop.Budget = 100 * time.Millisecond
		got, _ := r.expectedTime(speed{check: check})
		return got
	}
	one, two := of(1, 1<<30), of(2, 1<<30)
	if each := one/4 - startTime; two-one != 4*each || each < 100*time.Millisecond {
		t.Errorf("a launch with one transport takes %v, with a second %v more", one/4, (two-one)/4)
	}
	// 2 ranks, 64 MiB an event: at least 7 events are checked, and 2 more are moved, together not
	// longer than the budget.
	if fewer := of(1, 1<<29) - one; fewer < 4*7*60*time.Millisecond || fewer > 4*2*time.Second {
		t.Errorf("half the rate of checks takes %v more", fewer)
	}
}
