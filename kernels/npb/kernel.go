package npb

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"gobench/comm"
	"gobench/comm/op"
	"gobench/internal/remedy"
	"gobench/kernels/application"
)

// Kernel is one benchmark of the suite.
type Kernel struct {
	Name  string // "cg"
	About string // one line: its computation and its bottleneck

	// Last is the largest class of the kernel if it is not D.
	Last Class
	// Problem describes a class.
	Problem func(Class) Problem
	// Legal returns a *RanksError unless the class can run on the given number of ranks.
	Legal func(class Class, ranks int) error
	// Memory returns what all ranks together allocate, in bytes, within 10 %.
	Memory func(class Class, ranks, threads int) int64
	// New does the untimed setup. It is collective. The garbage collector frees the memory of the
	// instance.
	New func(r *application.Rank, class Class) (Instance, error)

	// Zoned selects the layout of the output of NPB-MZ.
	Zoned bool
	// RootTime selects the time of rank 0 (FT) instead of the longest time of a rank.
	RootTime bool
}

// Classes lists the classes of the kernel in increasing size.
func (k *Kernel) Classes() []Class {
	all := Classes() // whose letters are not in the order of the alphabet
	return all[:1+slices.Index(all, cmp.Or(k.Last, D))]
}

// Instance is a kernel that is ready to run on one rank.
type Instance interface {
	// Run does one run and verifies it. It is collective.
	Run() (Result, error)
}

// Problem describes a class of a kernel.
type Problem struct {
	Title, Block string // names in the title and in the block of results, if not that of the kernel
	Size         string // as in the block of results: "14000", " 256x 256x 256"
	// lines between the title and the results, as in the official output: a format for the number
	// of ranks
	Header     string
	Iterations int     // as in the block of results
	Operations float64 // in millions, by the official formula
	Kind       string  // of operations: "floating point"
}

// Outcome is the result of a run of all ranks. Seconds, Verified and Mops are the same on all
// ranks.
type Outcome struct {
	Seconds  float64 // of the run, by the rule of the kernel
	Verified bool    // on all ranks
	Mops     float64 // millions of operations per second, all ranks together; 0 unless verified
	Result           // of this rank; Checks and Text are complete on rank 0
}

// Run does one run of an instance and agrees on its time and on whether it is verified. It is
// collective.
func Run(r *application.Rank, k *Kernel, class Class, instance Instance) (Outcome, error) {
	result, err := instance.Run()
	if err != nil {
		return Outcome{}, err
	}
	worst := [2]float64{result.Seconds} // time, and 1 if wrong
	if k.RootTime && r.Comm.Rank() != 0 {
		worst[0] = 0
	}
	if (r.Comm.Rank() == 0 || result.Checks != nil) && !result.Verified() {
		worst[1] = 1
	}
	if err := comm.Allreduce(r.Aside, nil, worst[:], op.Max[float64]()); err != nil {
		return Outcome{}, err
	}
	o := Outcome{Seconds: worst[0], Verified: worst[1] == 0, Result: result}
	if o.Verified {
		o.Mops = k.Problem(class).Operations / o.Seconds
	}
	return o, nil
}

// RanksError reports a number of ranks that cannot run a kernel, with the numbers that can.
type RanksError struct {
	Kernel string
	Class  Class
	Ranks  int
	Legal  string // "a power of two up to 128"
	Near   []int  // legal numbers next to Ranks
}

func (e *RanksError) Error() string {
	s := fmt.Sprintf("%s class %v runs on %s ranks, not on %d", e.Kernel, e.Class, e.Legal, e.Ranks)
	var near []string
	for _, n := range e.Near {
		near = append(near, remedy.Set("np", n).String())
	}
	if near != nil {
		s += ": use " + strings.Join(near, " or ")
	}
	return s
}

// Misfit implements exit.Misfit.
func (e *RanksError) Misfit() {}

// PowerOfTwo returns a *RanksError unless ranks is a power of two from least to most.
func PowerOfTwo(kernel string, class Class, ranks, low, high int) error {
	if ranks >= low && ranks <= high && bits.OnesCount(uint(ranks)) == 1 {
		return nil
	}
	e := &RanksError{Kernel: kernel, Class: class, Ranks: ranks, Legal: fmt.Sprintf("a power of two from %d to %d", low, high)}
	below := low
	for 2*below < ranks && 2*below <= high {
		below *= 2
	}
	e.Near = []int{below}
	if ranks > below && 2*below <= high {
		e.Near = append(e.Near, 2*below)
	}
	return e
}

// coreRates holds the Program.Rate of each kernel with class A.
var coreRates = map[string]float64{"bt": 32000, "cg": 4000, "ep": 500, "ft": 16600, "is": 1850, "lu": 13800, "mg": 12000, "sp": 15300}

// Program returns a class of the kernel as an application. With official, the text of an outcome is
// the official output of NPB, whose block of results contains the facts in build.
func (k *Kernel) Program(class Class, official bool, build [][2]string) application.Program {
	p := k.Problem(class)
	return application.Program{
		Name:       k.Name,
		Memory:     func(ranks, threads int) int64 { return k.Memory(class, ranks, threads) },
		Operations: p.Operations,
		Rate:       coreRates[k.Name],
		Metric:     "mops",
		New: func(r *application.Rank) (application.Instance, error) {
			instance, err := k.Make(r, class)
			if err != nil {
				return nil, err
			}
			return &program{k, class, r, instance, official, build}, nil
		},
	}
}

// program is an Instance that implements application.Instance.
type program struct {
	kernel   *Kernel
	class    Class
	rank     *application.Rank
	instance Instance
	official bool
	build    [][2]string
}

// Run implements application.Instance.
func (p *program) Run() (application.Outcome, error) {
	o, err := Run(p.rank, p.kernel, p.class, p.instance)
	if err != nil {
		return application.Outcome{}, err
	}
	out := application.Outcome{Seconds: o.Seconds, Facts: o.Facts, Metrics: o.Metrics}
	if !o.Verified {
		out.Wrong = wrong(o.Checks)
	}
	if p.official && p.rank.Comm.Rank() == 0 {
		var s strings.Builder
		b := Block{Kernel: p.kernel, Class: p.class, Ranks: p.rank.Comm.Size(), Threads: p.rank.Team.Threads(), Outcome: o, Build: p.build}
		if _, err := b.WriteTo(&s); err != nil {
			return out, err
		}
		out.Text = s.String()
	}
	return out, nil
}

// wrong describes the first quantity that failed verification.
func wrong(checks []Check) string {
	for _, c := range checks {
		if !c.Right() {
			return fmt.Sprintf("%s is %.14g, not %.14g (relative error %.2g, at most %.2g)", c.Name, c.Value, c.Reference, c.Error, c.Epsilon)
		}
	}
	return "another rank has found a wrong quantity"
}
