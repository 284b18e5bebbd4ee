package application_test

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"gobench/bench/team"
	"gobench/comm"
	"gobench/internal/launch/host"
	"gobench/kernels/application"
	"gobench/kernels/kerneltest"
	"gobench/record"
)

// ring is an application in which each rank sends 8 bytes to the next.
type ring struct {
	r     *application.Rank
	runs  int
	wrong int     // the run that is wrong, 0 = none
	first float64 // time of the first run; later ones take that much longer each
}

func (p *ring) Run() (application.Outcome, error) {
	p.runs++
	if debug.SetGCPercent(-1) >= 0 {
		return application.Outcome{}, errors.New("garbage is collected during a run")
	}
	p.r.Begin()
	c := p.r.Comm
	next, before := (c.Rank()+1)%c.Size(), (c.Rank()+c.Size()-1)%c.Size()
	out, in := []float64{1}, []float64{0}
	p.r.Timers.Begin(application.Exchange)
	p.r.Profile.Sent(next, 8)
	_, err := comm.Sendrecv(c, out, next, 0, in, before, 0)
	p.r.Timers.Begin(application.Compute)
	p.r.End()
	o := application.Outcome{Seconds: p.first * float64(p.runs), Facts: map[string]any{"run_number": p.runs}}
	if p.runs == p.wrong {
		o.Wrong = "the sum is 1, not 2"
	}
	if err == nil {
		err = p.r.Step(1, 1)
	}
	return o, err
}

func rings(wrong int) application.Program {
	return application.Program{Name: "ring", Operations: 10, Metric: "mops",
		New: func(r *application.Rank) (application.Instance, error) {
			return &ring{r: r, wrong: wrong, first: 0.25}, nil
		}}
}

func TestRepeatPutsRunsTogether(t *testing.T) {
	kerneltest.Run(t, kerneltest.Shared, 3, 1, func(r *application.Rank) error {
		m, err := application.Repeat(r.Comm, r, rings(0), 4, nil)
		if err != nil || r.Comm.Rank() != 0 {
			return err
		}
		if len(m.Seconds) != 4 || m.Seconds[3] != 1 || math.Abs(m.Rates[3]-10) > 1e-9 {
			t.Errorf("4 runs took %v s at %v Mop/s", m.Seconds, m.Rates)
		}
		if want := (application.Pair{From: 2, To: 0, Traffic: application.Traffic{Messages: 1, Bytes: 8}}); len(m.Traffic.Pairs) != 3 || m.Traffic.Pairs[2] != want {
			t.Errorf("pairs are %v", m.Traffic.Pairs)
		}
		if len(m.Traffic.Sizes) != 1 || m.Traffic.Sizes[0] != (application.Count{Bytes: 15, Messages: 3}) {
			t.Errorf("sizes are %v", m.Traffic.Sizes)
		}
		if s := m.Split["exchange"]; !(s.Min > 0 && s.Min <= s.Mean && s.Mean <= s.Max) || s.Calls != 1 {
			t.Errorf("exchange took %+v", s)
		}
		var p record.Point
		if err := m.Record(&p, "mops"); err != nil {
			return err
		}
		if p.Iterations != 4 || p.Metrics.Median("run_s") != 0.625 || p.Extra["phases_s"] == nil || p.Extra["messages"] == nil || string(p.Extra["verified"]) != "4" || string(p.Extra["run_number"]) != "2" {
			t.Errorf("point is %+v", p)
		}
		return nil
	})
}

// waited is a device that has waited for 1 s for its host and 10 s for others, and of rank 1 three
// times that.
type waited struct{ times float64 }

func (*waited) MeterWaits(bool)                    {}
func (w *waited) Waits() (inside, between float64) { return w.times, 10 * w.times }

// Waits during a pause, such as for a picture that rank 0 writes, do not count.
func TestWaitsOfAllRanks(t *testing.T) {
	kerneltest.Run(t, kerneltest.Shared, 2, 1, func(r *application.Rank) error {
		w := &waited{[]float64{1, 3}[r.Comm.Rank()]}
		split, err := application.GatherWaits(r, w, func() { w.times += 8 })
		if err != nil || r.Comm.Rank() != 0 {
			return err
		}
		if in, out := split["inside"], split["between"]; in != (application.Share{Min: 1, Mean: 2, Max: 3}) || out != (application.Share{Min: 10, Mean: 20, Max: 30}) {
			t.Errorf("inside %+v, between %+v", in, out)
		}
		return nil
	})
}

// What the process uses in timed regions is counted, once for each, without that of pauses.
func TestProcessorTimeOfTimedRegions(t *testing.T) {
	kerneltest.Run(t, kerneltest.Shared, 1, 1, func(r *application.Rank) error {
		timed := 0.0
		work := func() {
			for before, end := host.Used(), host.Used(); end.User+end.System < before.User+before.System+0.02; end = host.Used() {
			}
		}
		for range 2 {
			r.Begin()
			before := host.Used()
			work()
			r.Pause()
			after := host.Used()
			timed += after.User + after.System - before.User - before.System
			work()
			r.Resume()
			r.End()
			work()
		}
		u := application.UsedOf(r)
		if got := u.User + u.System; got < timed || got > timed+0.03 {
			t.Errorf("%.3f s counted, %.3f s used in two timed regions, as much in pauses and as much between", got, timed)
		}
		return nil
	})
}

// The median of an odd number of runs is one of them, so that rate and time belong together.
func TestShortRunsAreRepeatedAnOddNumberOfTimes(t *testing.T) {
	kerneltest.Run(t, kerneltest.Shared, 1, 1, func(r *application.Rank) error {
		p := rings(0)
		p.New = func(r *application.Rank) (application.Instance, error) { return &ring{r: r, first: 0.05}, nil }
		m, err := application.Repeat(r.Comm, r, p, 0, nil)
		if err != nil || len(m.Seconds) != 3 {
			t.Errorf("%d runs, %v, want 3: four times 0.05 s are 0.2 s", len(m.Seconds), err)
		}
		return err
	})
}

// If ranks outnumber the cores, their times include waiting, and a warning must say so.
func TestTimesOfACrowdHaveAWarning(t *testing.T) {
	ranks := runtime.NumCPU() + 1 // of those that this process may use
	kerneltest.Run(t, kerneltest.Shared, ranks, 1, func(r *application.Rank) error {
		m, err := application.Repeat(r.Comm, r, rings(0), 1, nil)
		if err != nil {
			return err
		}
		var p record.Point
		if err := m.Record(&p, "mops"); err != nil {
			return err
		}
		if want := fmt.Sprintf(record.Oversubscribed+"%d ranks share %d core", ranks, ranks-1); !r.Shared || len(p.Warnings) != 1 || !strings.HasPrefix(p.Warnings[0], want) {
			t.Errorf("warnings are %q, want %q", p.Warnings, want)
		}
		return nil
	})
}

// A wrong run has no time, and all ranks return the error.
func TestRepeatEndsWithAWrongRun(t *testing.T) {
	kerneltest.Run(t, kerneltest.Shared, 2, 1, func(r *application.Rank) error {
		wrong := 0
		if r.Comm.Rank() == 1 {
			wrong = 2
		}
		ran := 0
		_, err := application.Repeat(r.Comm, r, rings(wrong), 4, func(run int, _ application.Outcome) { ran = run })
		var v *application.VerificationError
		if !errors.As(err, &v) || ran != 2 {
			t.Errorf("rank %d: %v after %d runs, want a verification error after 2", r.Comm.Rank(), err, ran)
		}
		return nil
	})
}

// Copies are independent: their rates add up.
func TestCopiesRunAtOnce(t *testing.T) {
	kerneltest.Run(t, kerneltest.Shared, 4, 1, func(r *application.Rank) error {
		alone, err := r.Comm.Split(r.Comm.Rank(), 0)
		if err != nil {
			return err
		}
		r.Keep(alone)
		team, err := team.New(1, nil)
		if err != nil {
			return err
		}
		m, err := application.Repeat(r.Comm, application.NewRank(t.Context(), alone, team), rings(0), 1, nil)
		if err == nil && math.Abs(m.Rates[0]-4*10/0.25) > 1e-9 {
			t.Errorf("4 copies do %v Mop/s, want 160", m.Rates[0])
		}
		return err
	})
}
