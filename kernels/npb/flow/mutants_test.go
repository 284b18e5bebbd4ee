package flow

import (
	"maps"
	"slices"

	"gobench/internal/simd"
	"gobench/kernels/kerneltest"
	"gobench/kernels/npb"
)

// MutantsOfRanks are mistakes in what the ranks of BT and SP do together.
func MutantsOfRanks() map[string]func(k *npb.Kernel) {
	return planted(map[string]func(p *partitioned){
		"a step that is longer":       func(p *partitioned) { p.Dt *= 1 + 1e-6 },
		"distances of points along y": func(p *partitioned) { p.H[1] *= 1 + 1e-6 },
		"no ghosts":                   func(p *partitioned) { p.halo.sides = nil },
		"no ghosts along z": func(p *partitioned) {
			p.halo.sides = slices.DeleteFunc(p.halo.sides, func(s haloSide) bool { return s.axis == 2 })
		},
		"one step less": func(p *partitioned) {
			code := *p.code
			code.Sizes = maps.Clone(code.Sizes)
			size := code.Sizes[npb.S]
			size.Steps--
			code.Sizes[npb.S] = size
			p.code = &code
		},
		"no forcing of one component of a row": func(p *partitioned) {
			c := p.Cells[1]
			clear(c.F[c.At(0, 3, 3)+c.Comp:][:c.N[0]])
		},
	})
}

// MutantsOfLines are mistakes in how BT or SP solves lines.
func MutantsOfLines(turned bool) map[string]func(k *npb.Kernel) {
	forget := func(l *simd.Lines) { l.In = make([]float64, len(l.In)) }
	early := func(l *simd.Lines) { l.Hi-- }
	list := map[string]func(p *partitioned){
		"elimination without the cell before":      func(p *partitioned) { p.Method.eliminate[2] = before(p.Method.eliminate[2], forget) },
		"back substitution without the cell after": func(p *partitioned) { p.Method.substitute[1] = before(p.Method.substitute[1], forget) },
		"lines that end a point early": func(p *partitioned) {
			p.Method.eliminate[0], p.Method.substitute[0] = before(p.Method.eliminate[0], early), before(p.Method.substitute[0], early)
		},
		"second difference of another axis": func(p *partitioned) {
			p.Method.eliminate[2] = before(p.Method.eliminate[2], func(l *simd.Lines) { l.Delta = delta[0] })
		},
		"solutions that are stored one row off": func(p *partitioned) {
			p.Method.substitute[1] = before(p.Method.substitute[1], func(l *simd.Lines) { l.RAt += p.Cells[p.cell].Z })
		},
	}
	if turned {
		list["components in the order of SP"] = func(p *partitioned) { p.Turned = false }
	} else {
		list["no damping at one position"] = func(p *partitioned) { p.bands[1][0][5*2+2] = 0 }
		list["the substitution of another axis"] = func(p *partitioned) { p.Method.substitute[0] = p.Method.substitute[1] }
	}
	return planted(list)
}

// MutantsOfResiduals are mistakes in the residual of one rank.
func MutantsOfResiduals() map[string]func(k *npb.Kernel) {
	list := map[string]func(p *partitioned){}
	for name, change := range residuals() {
		list[name] = func(p *partitioned) { change(p.Solver) }
	}
	return planted(list)
}

// planted returns mutations that make the same change on all ranks.
func planted(list map[string]func(p *partitioned)) map[string]func(k *npb.Kernel) {
	mutants := map[string]func(k *npb.Kernel){}
	for name, change := range list {
		mutants[name] = kerneltest.Plant(func(_ int, p *partitioned) { change(p) })
	}
	return mutants
}

// residuals are mistakes in the residual.
func residuals() map[string]func(s *Solver) {
	return map[string]func(s *Solver){
		"half the distance in one derivative": func(s *Solver) { s.threads[0].row.Half[2] *= 2 },
		"viscosity along one axis":            func(s *Solver) { s.threads[0].row.Viscous[1] *= 1.01 },
		"the damping of the middle at a face": func(s *Solver) {
			for k, w := range fourth(3, s.N[0]) {
				s.weights[0][k][1] += damping * (fourth(1, s.N[0])[k] - w)
			}
		},
		"a row whose residual is not computed": func(s *Solver) {
			residual, at := s.kernels.Residual, s.Cells[0].At(0, 2, 2)
			s.kernels.Residual = func(a *simd.Row) {
				if a.At != at {
					residual(a)
				}
			}
		},
		"velocities of the row before": func(s *Solver) {
			primitives, at := s.kernels.Primitives, s.Cells[0].At(0, 3, 3)
			s.kernels.Primitives = func(a *simd.Row) {
				if a.At == at {
					a.At -= s.Cells[0].Y
					defer func() { a.At = at }()
				}
				primitives(a)
			}
		},
	}
}

// before returns f after a change of its argument, which is undone.
func before(f, change func(l *simd.Lines)) func(l *simd.Lines) {
	return func(l *simd.Lines) {
		kept := *l
		change(l)
		f(l)
		l.In, l.Hi, l.Delta, l.RAt = kept.In, kept.Hi, kept.Delta, kept.RAt
	}
}

// MutantsOfZones are mistakes in what the multi-zone codes share.
func MutantsOfZones() map[string]func(k *npb.Kernel) {
	mutants := map[string]func(k *npb.Kernel){}
	plant := func(name string, change func(z *zoned)) {
		mutants[name] = kerneltest.Plant(func(rank int, z *zoned) {
			if rank == 0 {
				change(z)
			}
		})
	}
	plant("a face of a zone of the same rank is not set", func(z *zoned) { z.borders.local[0] = z.borders.local[0][1:] })
	plant("a face of a zone of another rank is not set", func(z *zoned) {
		in := z.borders.in[0]
		z.borders.in[0] = in[:len(in)-1]
	})
	// The first border is a lower face of zone 0, whose neighbours have rows of equal length.
	across := func(z *zoned) (*border, int) {
		b := &z.borders.local[0][0]
		if b.to.step == 1 {
			return b, z.solvers[0].Cells[0].Y
		}
		return b, 1
	}
	plant("a face gets the values of the neighbour's face", func(z *zoned) {
		b, plane := across(z)
		b.from.at += plane
	})
	plant("values of a face are set one plane inside", func(z *zoned) {
		b, plane := across(z)
		b.to.at += plane
	})
	plant("no forcing at one point", func(z *zoned) { c := z.solvers[0].Cells[0]; c.F[c.At(2, 2, 2)] = 0 })
	plant("a rank that leaves out a step of its zones", func(z *zoned) { z.zones = &lazy{Zones: z.zones, left: 7} })
	mutants["one step less"] = kerneltest.Plant(func(_ int, z *zoned) { z.mesh.Steps-- })
	return mutants
}

// lazy are zones that leave out a step.
type lazy struct {
	Zones
	left int
}

// Step implements Zones.
func (l *lazy) Step() error {
	if l.left--; l.left == 0 {
		return nil
	}
	return l.Zones.Step()
}
