package figure

import (
	"slices"

	"gobench/internal/report/cell"
	"gobench/internal/report/style"
	"gobench/record"
)

// Storage draws the aggregated bandwidth to files and the rate of applications that write files,
// such as BT-IO, over the number of ranks (thesis, figures 8.7 and 9.7).
func Storage(s *cell.Set) []*Figure {
	return eachWriter(s, storageFigure)
}

// eachWriter draws the points of each class of each application that writes files, if draw returns
// a figure.
func eachWriter(s *cell.Set, draw func(class string, b part) *Figure) []*Figure {
	var all []*Figure
	writes := func(p cell.Point) bool { return p.Has("storage_Bps") && application(p) }
	// In other figures the problem includes the I/O method. Here the I/O method names the lines.
	problem := cell.Factor{Name: cell.Class.Name, Of: func(p cell.Point) string { return record.LookupFactor("class").Say(p.Point) }}
	for _, class := range by(s.Where(writes), problem) {
		all = append(all, eachPart(by(class.points, cell.Bench), func(b part) *Figure { return draw(class.name, b) })...)
	}
	return all
}

// modes lists the factors in which points that write files differ, without the class and with the
// I/O method.
func modes(points []cell.Point) []cell.Factor {
	factors := slices.DeleteFunc(cell.DistinguishingFactors(points, ranks, cell.Ranks), func(f cell.Factor) bool { return f.Name == cell.Class.Name })
	return append(factors, cell.Factor{Name: "io", Of: func(p cell.Point) string { return p.IO }})
}

func storageFigure(class string, b part) *Figure {
	f := &Figure{Height: 0.85 * style.Row, Name: file(b.name+"-storage", class), Bench: b.name,
		Title: headline(b.name) + ": bandwidth to files and rate, " + class}
	where := func(c cell.Cell) string { return cell.BenchName(b.name) + " on " + cell.RanksName(int(c.X)) }
	f.Rows = [][]*Panel{nil}
	var drawn [][]cell.Series
	for _, m := range []struct {
		key, label string
		u          unit
	}{
		{"storage_Bps", "aggregated bandwidth, MB/s", unit{1e-6, "MB/s"}},
		{"mops", "Mop/s", mops},
		{"storage_read_Bps", "read back, MB/s", unit{1e-6, "MB/s"}},
	} {
		series := f.limited(m.key, cell.SplitBy(b.points, m.key, ranks, modes(b.points)))
		if len(values(series)) == 0 { // a program that only writes has no rate, and most do not read
			continue
		}
		drawn = append(drawn, series)
		p := NewPanel("")
		p.CountX("ranks", values(series))
		p.LogY()
		p.YLabel, p.Bench, p.Shows = m.label, b.name, Quantity{m.key, m.u.scale}
		f.markOversubscribed(p, b.points)
		p.Add(Grid{})
		p.join(f.curves(series, m.u, where)...)
		if m.key == "storage_read_Bps" { // below, so that those above are as in papers
			f.Rows = append(f.Rows, []*Panel{p, nil})
		} else {
			f.Rows[0] = append(f.Rows[0], p)
		}
	}
	f.oversubscribedLast()
	f.Caption = join(sentence("", slices.DeleteFunc(cell.Common(b.points), func(s string) bool { return s == class })),
		"The bandwidth has the time of the rank that writes longest.", runsOf(b.points), replication(drawn...), markedCaveats(b.points))
	f.measured(b.points)
	return f
}
