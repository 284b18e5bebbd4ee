package figure

import (
	"cmp"
	"slices"
	"strings"

	"gobench/internal/collect"
	"gobench/internal/report/cell"
	"gobench/internal/report/style"
)

// gains holds the parts of the curves of a panel of speedups, so that a reader can choose another
// base.
type gains struct {
	metric  string
	all     []cell.Series // with those that are not drawn
	drawn   []cell.Series
	program []cell.Factor
	where   func(cell.Cell) string
}

// hasSpeedup reports whether a figure has a panel of speedups.
func (f *Figure) hasSpeedup() bool {
	return slices.ContainsFunc(f.panels(), func(p *Panel) bool { return p.gains != nil })
}

// bases returns the cell to which the speedups of a series refer, and its name, by the choice of a
// reader; nil if there is none.
func (g *gains) base(s cell.Series, choice string) (one *cell.Cell, of string) {
	switch choice {
	case "":
		return oneRank(s, g.all, g.metric, g.program)
	case style.OwnBase:
		if s.Cells[0].X == 1 && s.Cells[0].Median != 0 {
			return &s.Cells[0], s.Name
		}
		return nil, ""
	}
	for i, other := range g.all {
		if len(other.Cells) > 0 && other.Cells[0].X == 1 && other.Cells[0].Median != 0 && matches(other.Name, choice) {
			return &g.all[i].Cells[0], other.Name
		}
	}
	return nil, ""
}

// speedups returns the series of speedups, and the base of each with its value.
func (g *gains) speedups(bench string, u unit, choice string) (series []cell.Series, bases []string) {
	for _, s := range g.drawn {
		one, of := g.base(s, choice)
		if one == nil {
			continue
		}
		series = append(series, speedup(s, g.metric, *one))
		bases = append(bases, strings.TrimSpace(cell.BenchName(bench)+" "+of)+" "+u.write(one.Median))
	}
	return series, bases
}

// rebase draws speedups against another base, and reports in found whether any panel has it.
func (f *Figure) rebase(choice string, found *bool) {
	if choice == "" {
		return
	}
	names := ""
	for _, p := range f.panels() {
		if p.gains == nil {
			continue
		}
		series, bases := p.gains.speedups(p.Bench, unitOf(p.gains.metric), choice)
		if len(series) == 0 {
			continue
		}
		*found = true
		names = cmp.Or(names, bases[0])
		p.Layers = collect.If(p.Layers, func(l Layer) bool { _, class := seriesOf(l); return class == "" })
		p.join(f.curves(series, unit{1, "times"}, p.gains.where)...)
		p.regrow()
	}
	if names == "" {
		return
	}
	base := "Speedup: against " + choice + " on one rank; dotted: ideal."
	if choice == style.OwnBase {
		base = "Speedup: of each series against its own run on one rank, which differ; dotted: ideal."
	}
	f.Caption = strings.Replace(f.Caption, f.base, base, 1)
	f.base = base
}
