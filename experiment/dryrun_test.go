package experiment

import (
	"testing"
	"time"

	"gobench/kernels/application"
)

// Applications are expected to take the time of their operations on the cores of the ranks; without
// a rate it is unknown.
func TestExpectedTimeOfApplications(t *testing.T) {
	job := func(operations, rate float64) application.Job {
		return application.Job{Program: application.Program{Operations: operations, Rate: rate}}
	}
	for _, c := range []struct {
		jobs   []application.Job
		repeat int
		want   time.Duration // of a launch without its start
	}{
		{[]application.Job{job(100, 100)}, 0, 1400 * time.Millisecond},
		{[]application.Job{job(100, 100)}, 3, 3400 * time.Millisecond},
		{[]application.Job{job(1, 100)}, 0, 210 * time.Millisecond},
		{[]application.Job{job(1, 100), job(100, 100)}, 0, 1610 * time.Millisecond},
		{[]application.Job{job(1, 100), job(1, 0)}, 0, 0},
	} {
		r := &measurement{Jobs: c.jobs, Repeat: c.repeat, Threads: 1, Launches: 2, Ranks: 1, Transports: make([]Transport, 1)}
		want := 2 * (startTime + c.want)
		if c.want == 0 {
			want = 0
		}
		if got, _ := r.expectedTime(); (got - want).Abs() > time.Millisecond {
			t.Errorf("%d jobs, repeat %d: %v, want %v", len(c.jobs), c.repeat, got, want)
		}
	}
}
