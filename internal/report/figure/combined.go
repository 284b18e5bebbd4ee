package figure

import (
	"slices"

	"gobench/internal/report/cell"
	"gobench/internal/report/style"
)

// axisChange is the message size up to which the combined panel shows time, and above which
// bandwidth: 1 KiB, as in papers on Java message passing.
const axisChange = 1 << 10

// Combined draws half round trip (left axis, up to 1 KiB) and bandwidth (right axis, above) in one
// panel, as the thesis does. Two axes invite comparing unrelated quantities, so separate panels are
// the default.
func Combined(s *cell.Set) []*Figure {
	points := s.Where(func(p cell.Point) bool { return pointToPoint(p) && p.TimeKey() == "half_rtt_s" })
	if !slices.ContainsFunc(points, func(p cell.Point) bool { return p.Size <= axisChange }) {
		return nil
	}
	return eachBench(points, seriesOverSize, combined)
}

func combined(bench string, p part) *Figure {
	f := &Figure{Name: file("combined", bench, p.name), Title: title(bench, p.points), Height: 9 * style.Row / 6}
	factors := cell.DistinguishingFactors(p.points, size)
	series := f.limited("half_rtt_s", cell.SplitBy(p.points, "half_rtt_s", size, factors))
	panel := NewPanel("")
	panel.LogY()
	panel.SizeX(values(series), 13)
	panel.YLabel = "half round trip, µs (to 1 KiB)"
	panel.Bench, panel.Shows = bench, Quantity{"half_rtt_s", micros.scale}
	panel.Add(Grid{}, Rule{At: axisChange, Vertical: true, Color: style.Grey, Dashes: dotted})
	panel.join(ringed(f.curves(within(series, func(x float64) bool { return x <= axisChange }), micros, bySize))...)

	axes := "Left axis, logarithmic: half round trip of messages to 1 KiB."
	rates := f.limited("bandwidth_Bps", cell.SplitBy(p.points, "bandwidth_Bps", size, factors))
	if longer := within(rates, func(x float64) bool { return x > axisChange }); len(longer) > 0 {
		axes += " Right axis, linear from 0: bandwidth of longer ones."
		panel.Right = NewPanel("")
		panel.Right.YLabel = "bandwidth, GB/s (beyond 1 KiB)"
		panel.Right.Bench, panel.Right.Shows = bench, Quantity{"bandwidth_Bps", giga.scale}
		panel.Right.join(ringed(f.curves(longer, giga, bySize))...)
		panel.Right.Y.Min = 0
		panel.Right.Y.Max *= 1.05
	}
	f.Rows = [][]*Panel{{panel}}
	f.Caption = join(sentence(bench, cell.Common(p.points)), mixed(series), axes, replication(series), switches(series), cached(p.points), markedCaveats(p.points))
	f.measured(p.points)
	return f
}

// within returns the series with only the cells whose position satisfies keep.
func within(series []cell.Series, keep func(x float64) bool) (some []cell.Series) {
	for _, s := range series {
		s.Cells = slices.DeleteFunc(slices.Clone(s.Cells), func(c cell.Cell) bool { return !keep(c.X) })
		if len(s.Cells) > 0 {
			some = append(some, s)
		}
	}
	return some
}
