package application_test

import (
	"context"
	"strings"
	"testing"

	"gobench/bench"
	"gobench/internal/bench/state"
	"gobench/kernels/application"
	"gobench/kernels/kerneltest"
	"gobench/record"
)

// stepper is an application of some steps. The steps of the ranks may differ in number.
type stepper struct {
	r     *application.Rank
	steps int
	alone bool
}

func (s *stepper) Run() (application.Outcome, error) {
	s.r.Begin()
	for i := range s.steps {
		step := s.r.Step
		if s.alone {
			step = s.r.StepAlone
		}
		if err := step(i+1, s.steps); err != nil {
			return application.Outcome{}, err
		}
	}
	return application.Outcome{Seconds: s.r.End()}, nil
}

// planted is a Meter with the distances that a test chose.
type planted struct {
	distances []float64
	calls     int
}

func (p *planted) Ring(context.Context) (lowest, highest float64, err error) {
	d := p.distances[min(p.calls, len(p.distances)-1)]
	p.calls++
	return d, d, nil
}

type points []record.Point

func (p *points) Point(one record.Point) error { *p = append(*p, one); return nil }
func (*points) Event(bench.Event) error        { return nil }

// The state of the cores inside of a long run decides to which state its number belongs.
func TestStateInsideOfARun(t *testing.T) {
	const near, far = 50e-9, 400e-9
	for name, c := range map[string]struct {
		distances []float64 // before, after each of 10 steps, after
		alone     bool
		every     float64
		probes    int
		share     float64
		in        state.State
		warning   string
	}{
		"near":           {[]float64{near}, false, 1e-9, 12, 1, state.Near, ""},
		"mostly near":    {[]float64{near, near, far, near}, false, 1e-9, 12, 11. / 12, state.Near, ""},
		"far inside":     {[]float64{near, far, far, far, far, far, far, near}, false, 1e-9, 12, 0.5, state.Changing, "in 6 of 12 probes"},
		"unequal steps":  {[]float64{near}, true, 1e-9, 2, 0, state.Near, ""},
		"a short run":    {[]float64{near}, false, 1e9, 2, 0, state.Near, ""},
		"changed around": {[]float64{near, far}, false, 1e9, 2, 0, state.Changing, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var got points
			kerneltest.Run(t, kerneltest.Shared, 2, 1, func(r *application.Rank) error {
				meter := &planted{distances: c.distances}
				program := application.Program{Name: "stepper", Operations: 10, Metric: "mops", New: func(r *application.Rank) (application.Instance, error) {
					steps := 10
					if c.alone {
						steps += r.Comm.Rank()
					}
					return &stepper{r, steps, c.alone}, nil
				}}
				plan := application.Plan{
					Jobs: []application.Job{{Program: program, Factors: func(*record.Point) {}}}, Threads: 1, Repeat: 1,
					Interrupt: t.Context(), Meter: meter, Probes: c.every,
				}
				var sink bench.Sink
				if r.Comm.Rank() == 0 {
					sink = &got
				}
				err := application.Run(t.Context(), r.Comm, plan, sink)
				if meter.calls != c.probes {
					t.Errorf("rank %d measured %d times, want %d", r.Comm.Rank(), meter.calls, c.probes)
				}
				return err
			})
			if len(got) != 1 {
				t.Fatalf("%d points", len(got))
			}
			p := got[0]
			scale := state.Scale{Distance: near}
			if in := scale.OfPoint(&p); in.Pair() != c.in || p.StateShare != c.share {
				t.Errorf("state %v, share %v, want %v and %v", in, p.StateShare, c.in, c.share)
			}
			if text := strings.Join(p.Warnings, "\n"); c.warning != "" && !strings.Contains(text, c.warning) || c.warning == "" && strings.Contains(text, "latency") {
				t.Errorf("warnings %q, want %q", text, c.warning)
			}
		})
	}
}
