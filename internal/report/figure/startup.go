package figure

import (
	"gobench/internal/report/cell"
	"gobench/internal/report/style"
)

// started reports whether a point is of the start of ranks.
func started(p cell.Point) bool { return p.Bench == "startup" }

// Startup draws the time until all ranks have received the first message over their number, as
// figure 3.2 of the thesis, one curve for each transport, host list or other factor that differs.
func Startup(s *cell.Set) []*Figure {
	points := s.Where(started)
	if len(points) == 0 {
		return nil
	}
	series := cell.Split(points, "run_s", ranks, cell.Ranks, cell.Bench)
	xs := values(series)
	if len(xs) < 2 {
		return nil
	}
	f := &Figure{Name: "startup", Bench: "startup", Height: style.Row}
	series = f.limited("run_s", series)
	p := NewPanel("")
	p.XLabel, p.YLabel = "ranks", "time to the first message, s"
	p.Bench, p.Shows = "startup", Quantity{"run_s", second.scale}
	p.CountX("", xs)
	p.LogY()
	f.markOversubscribed(p, points)
	p.Add(Grid{})
	p.join(f.curves(series, second, func(c cell.Cell) string { return cell.RanksName(int(c.X)) })...)
	f.Rows = [][]*Panel{{p}}
	f.Title = "Start: time to the first message, " + surroundings(points)
	f.oversubscribedLast()
	f.Caption = join(sentence("", cell.Common(points)), "From the start of the first rank until all have left a barrier.", runsOf(points), replication(series), markedCaveats(points))
	f.measured(points)
	return []*Figure{f}
}
