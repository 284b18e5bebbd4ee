package fdtd

import (
	"fmt"
	"unsafe"

	"gobench/comm"
	"gobench/comm/op"
	"gobench/internal/launch/host"
	"gobench/kernels/application"
)

// Name is the name of the application in records.
const Name = "fdtd"

// Precisions lists the names of precisions.
var Precisions = []string{"single", "double"}

// Options select how a problem is solved.
type Options struct {
	Precision string // of Precisions
	// Blocks is the decomposition; zero = ChooseBlocks for the number of ranks.
	Blocks Blocks
	// Every is the number of steps between pictures of Ez, which are taken in the first run and
	// outside of the timed part; 0 = none.
	Every int
	// Picture receives each of them on rank 0.
	Picture func(step int, p *Picture) error
}

// Check returns a *ProblemError or a *BlocksError if p cannot be run on the given number of ranks.
func (o Options) Check(p Problem, ranks int) error {
	if err := p.Check(); err != nil {
		return err
	}
	_, err := o.blocks(p, ranks)
	return err
}

func (o Options) blocks(p Problem, ranks int) (Blocks, error) {
	if o.Blocks == (Blocks{}) {
		return ChooseBlocks(p, ranks)
	}
	return o.Blocks, o.Blocks.Check(p, ranks)
}

// Program returns the problem as an application.
func (p Problem) Program(o Options) application.Program {
	a := application.Program{
		Name:       Name,
		Rate:       3000, // as the rates of NPB
		Operations: float64(p.Points()) * float64(p.Steps) / 1e6,
		Metric:     "mcells",
	}
	if o.Precision == "double" {
		a.Memory, a.New = of[float64](p, o)
	} else {
		a.Memory, a.New = of[float32](p, o)
	}
	return a
}

// of returns Memory and New of an application.Program for one precision.
func of[T Real](p Problem, o Options) (func(ranks, threads int) int64, func(r *application.Rank) (application.Instance, error)) {
	memory := func(ranks, threads int) int64 {
		b, err := o.blocks(p, ranks)
		if err != nil {
			return 0 // New returns the error
		}
		return Memory[T](p, b, threads)
	}
	return memory, func(r *application.Rank) (application.Instance, error) {
		b, err := o.blocks(p, r.Comm.Size())
		if err != nil {
			return nil, err
		}
		s, err := New[T](r, p, b)
		if err != nil {
			return nil, err
		}
		return &instance[T]{s, o}, nil
	}
}

// instance is a solver that implements application.Instance.
type instance[T Real] struct {
	*Solver[T]
	options Options
}

// Run implements application.Instance: it tests the halo exchange, runs the problem, verifies the
// fields, and measures the bandwidth that bounds the run.
func (i *instance[T]) Run() (application.Outcome, error) {
	spoilt, err := i.Prove()
	if err != nil {
		return application.Outcome{}, err
	}
	i.Reset()
	seconds, err := i.timed()
	if err != nil {
		return application.Outcome{}, err
	}
	longest := []float64{seconds}
	if err := comm.Allreduce(i.rank.Aside, nil, longest, op.Max[float64]()); err != nil {
		return application.Outcome{}, err
	}
	out := application.Outcome{Seconds: longest[0]}
	v, err := i.verify()
	if err != nil {
		return out, err
	}
	if out.Wrong = v.Wrong; spoilt > 0 {
		out.Wrong = fmt.Sprintf("%d points beside the borders of blocks differ from the serial scheme after %d steps", spoilt, proofSteps)
	}
	if out.Wrong != "" {
		return out, nil
	}
	bound, err := i.bound()
	if err != nil {
		return out, err
	}
	if i.cart.Rank() == 0 {
		out.Text = i.text(out.Seconds, bound, v)
		out.Facts = i.facts(out.Seconds, bound, v)
	}
	return out, nil
}

// bound is an upper bound of the performance of a run.
type bound struct {
	bandwidth float64 // bytes per second, 0 = not measured
	fields    int64   // bytes
}

// bound measures the bandwidth. Where ranks share cores it is not a bound, because they wait for
// each other in the run, and it is not measured.
func (i *instance[T]) bound() (b bound, err error) {
	if i.rank.Shared {
		return b, nil
	}
	if b.fields, err = i.fieldBytes(); err != nil {
		return b, err
	}
	b.bandwidth, err = i.Bandwidth()
	return b, err
}

// timed does all steps and returns their time on this rank in seconds, without the time of
// pictures.
func (i *instance[T]) timed() (float64, error) {
	if err := comm.Barrier(i.cart.Comm); err != nil {
		return 0, err
	}
	i.rank.Begin()
	for i.step < i.problem.Steps {
		steps := i.problem.Steps - i.step
		if i.options.Every > 0 {
			steps = min(steps, i.options.Every)
		}
		if err := i.Advance(steps); err != nil {
			return 0, err
		}
		if i.options.Every > 0 {
			if err := i.picture(); err != nil {
				return 0, err
			}
		}
	}
	seconds := i.rank.End()
	i.options.Every = 0 // later runs give the same pictures
	return seconds, nil
}

// picture takes a picture while the timers are paused.
func (i *instance[T]) picture() error {
	i.rank.Pause()
	p, err := i.Snapshot()
	if err != nil {
		return err
	}
	var failure error
	if p != nil {
		failure = i.options.Picture(i.step, p)
	}
	if err := comm.Barrier(i.cart.Comm); err != nil {
		return err
	}
	i.rank.Resume()
	return failure
}

// traffic returns the least memory traffic of the scheme, in bytes per second.
func (i *instance[T]) traffic(seconds float64) float64 {
	return float64(i.problem.Points()) * float64(i.problem.Steps) * float64(TrafficPerPoint[T]()) / seconds
}

// facts returns the facts of a run for its record.
func (i *instance[T]) facts(seconds float64, b bound, v Verification) map[string]any {
	facts := map[string]any{"blocks": i.blocks.String(), "energy_error": v.Energy.Error(), "digest": fmt.Sprintf("%016x", v.Digest)}
	if b.bandwidth > 0 {
		facts["memory_Bps"], facts["fields_B"], facts["roofline"] = b.bandwidth, b.fields, i.traffic(seconds)/b.bandwidth
	}
	return facts
}

// text summarises a run for people.
func (i *instance[T]) text(seconds float64, b bound, v Verification) string {
	p := i.problem
	precision := Precisions[unsafe.Sizeof(T(0))/4-1]
	rate := float64(p.Points()) * float64(p.Steps) / seconds
	traffic := i.traffic(seconds)
	moved := fmt.Sprintf("%d bytes for each point and step: %.2f GB/s", TrafficPerPoint[T](), traffic/1e9)
	if b.bandwidth > 0 {
		fields := fmt.Sprintf("%.1f MB", float64(b.fields)/1e6)
		if cache := host.LastCache(); cache > 0 {
			fields += fmt.Sprintf(" beside a last cache of %.1f MB", float64(cache)/1e6)
		}
		moved += fmt.Sprintf(", %.2f of the %.2f GB/s at which the fields are read and written (%s)", traffic/b.bandwidth, b.bandwidth/1e9, fields)
	}
	by := "no digest is known of this problem"
	if v.By != "" {
		by = "as in " + v.By
	}
	return fmt.Sprintf(" %dx%d points, %d steps, %s precision, %v blocks: %.1f Mcell/s\n %s\n", p.NX, p.NY, p.Steps, precision, i.blocks, rate/1e6, moved) +
		fmt.Sprintf(" energy %.6g, relative error %.1g; digest %016x, %s\n", v.Energy.Field, v.Energy.Error(), v.Digest, by)
}
