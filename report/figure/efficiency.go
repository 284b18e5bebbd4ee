package figure

import (
	"slices"
	"strings"

	"gobench/report/cell"
	"gobench/report/style"
)

// weak reports whether a point is of weak scaling: its efficiency is relative to as many independent
// serial copies, and it has no speedup.
func weak(p cell.Point) bool {
	_, efficiency := p.Metrics["efficiency"]
	_, speedup := p.Metrics["speedup"]
	return efficiency && !speedup && p.Copies == 0
}

// Efficiency draws weak scaling: the rate, and its ratio to that of independent serial copies on
// the same cores.
func Efficiency(s *cell.Set) []*Figure {
	var all []*Figure
	for _, b := range by(s.Where(weak), cell.Bench) {
		key, u, label := "mops", mops, "Mop/s"
		if _, ok := b.points[0].Metrics["mops"]; !ok {
			key, u, label = "run_s", second, "run time, s"
		}
		along := []cell.Factor{cell.Ranks, cell.Class}
		f := &Figure{Name: file(b.name, "weak"), Title: headline(b.name) + ": weak scaling, " + surroundings(b.points)}
		var drawn []cell.Series
		where := func(c cell.Cell) string {
			return strings.TrimSuffix(cell.RanksName(int(c.X))+", "+cell.ProblemName(c.Points[0]), ", ")
		}
		var row []*Panel
		for i, part := range []struct {
			key, label string
			u          unit
		}{{key, label, u}, {"efficiency", "efficiency, %", unit{100, "%"}}} {
			series := cell.Split(b.points, part.key, ranks, along...)
			panel := NewPanel("")
			panel.CountX("ranks", values(series))
			panel.YLabel = part.label
			panel.Bench, panel.Shows = b.name, Quantity{part.key, part.u.scale}
			f.markOversubscribed(panel, b.points)
			panel.Add(Grid{})
			if i == 0 {
				panel.LogY()
				f.Keys, drawn = append(keys(series), f.Keys...), series
			} else {
				panel.Y.Min, panel.Y.Max = 0, 100
				panel.Add(Rule{At: 100, Color: style.Grey, Dashes: dotted, Text: "serial copies", Below: true})
			}
			panel.curves(series, part.u, where)
			row = append(row, panel)
		}
		f.Rows = [][]*Panel{row}
		f.Caption = join(sentence("", slices.DeleteFunc(cell.Common(b.points), func(s string) bool { return s == cell.Class.Of(b.points[0]) })), "The problem grows with the ranks. Efficiency: rate over that of as many independent serial copies on the same cores at once, which share caches and memory as the ranks do.", runsOf(b.points), replication(drawn), markedCaveats(b.points))
		f.Method, f.Notes = method(b.points), notes(b.points)
		all = append(all, f)
	}
	return all
}
