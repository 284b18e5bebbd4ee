package kerneltest_test

import (
	"fmt"
	"math"

	"github.com/spf13/pflag"

	"gobench/comm"
	"gobench/comm/op"
	"gobench/internal/remedy"
	"gobench/kernels/application"
	"gobench/kernels/kerneltest"
	"gobench/record"
)

// Pi is an application that integrates 4 / (1 + x^2) from 0 to 1 by the midpoint rule.
func Pi(intervals int) application.Program {
	return application.Program{
		Name:   "pi",
		Memory: func(ranks, threads int) int64 { return 8 * int64(ranks) },
		New: func(r *application.Rank) (application.Instance, error) {
			return &pi{r, intervals, make([]float64, 1)}, nil
		},
		Operations: 5 * float64(intervals) / 1e6,
		Metric:     "mops",
	}
}

func init() {
	application.Register(application.Application{
		Name:  "pi",
		Short: "Pi by the midpoint rule, verified",
		New:   func() application.Options { return &piFlags{intervals: 1e6} },
	})
}

type piFlags struct{ intervals int }

func (f *piFlags) Flags(set *pflag.FlagSet) {
	set.IntVar(&f.intervals, "intervals", f.intervals, "`N` intervals of the sum")
}

func (f *piFlags) Jobs(application.Request) ([]application.Job, error) {
	if f.intervals < 1 {
		return nil, remedy.Errorf("%v is %d, want 1 or more", remedy.Named("intervals"), f.intervals)
	}
	label := fmt.Sprintf("%d intervals", f.intervals)
	return []application.Job{{
		Program: Pi(f.intervals), Label: label,
		Factors: func(p *record.Point) { p.Class = label },
	}}, nil
}

type pi struct {
	rank      *application.Rank
	intervals int
	sum       []float64
}

func (p *pi) Run() (application.Outcome, error) {
	r := p.rank
	if err := comm.Barrier(r.Comm); err != nil {
		return application.Outcome{}, err
	}
	r.Begin()
	first, end := application.Part(p.intervals, r.Comm.Rank(), r.Comm.Size())
	p.sum[0] = 0
	for i := first; i < end; i++ {
		x := (float64(i) + 0.5) / float64(p.intervals)
		p.sum[0] += 4 / (1 + x*x)
	}
	r.Timers.Begin(application.Allreduce)
	if err := comm.Allreduce(r.Comm, nil, p.sum, op.Sum[float64]()); err != nil {
		return application.Outcome{}, err
	}
	r.Timers.Begin(application.Compute)
	out := application.Outcome{Seconds: r.End()}
	if value := p.sum[0] / float64(p.intervals); math.Abs(value-math.Pi) > 1e-9 {
		out.Wrong = fmt.Sprintf("pi is %v", value)
	}
	return out, nil
}

// An application runs on ranks that are goroutines of the test, and is repeated and timed as
// gobench npb does it.
func Example() {
	err := kerneltest.Try(kerneltest.Shared, 3, 1, func(r *application.Rank) error {
		measured, err := application.Repeat(r.Comm, r, Pi(100_000), 2, func(int, application.Outcome) {})
		if err == nil && r.Comm.Rank() == 0 {
			fmt.Println(len(measured.Seconds), "runs, wrong:", measured.Last.Wrong != "")
		}
		return err
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: 2 runs, wrong: false
}
