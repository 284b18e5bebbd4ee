package npb

import (
	"fmt"
	"strings"

	"gobench/kernels/application"
)

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
