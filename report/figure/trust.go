package figure

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gobench/report/cell"
	"gobench/report/style"
)

// crowded reports whether a cell had more ranks than cores: its mark is grey.
func crowded(c cell.Cell) bool { return slices.ContainsFunc(c.Points, cell.Point.Oversubscribed) }

// trust lists the caveats of the points of a figure: more ranks than cores, cores that others
// used, values that other programs computed.
func trust(points []cell.Point) string {
	return join(Crowding(points), Preempting(points), Importing(points))
}

// Crowding counts the points of more ranks than cores in a sentence, empty where there are none.
func Crowding(points []cell.Point) string {
	n := cell.Share(points, cell.Point.Oversubscribed)
	if n == 0 {
		return ""
	}
	p := points[slices.IndexFunc(points, cell.Point.Oversubscribed)]
	which := fmt.Sprintf("%d of %d records", n, len(points))
	if n == len(points) {
		which = "all records"
	}
	return fmt.Sprintf("Oversubscribed: %s are of more ranks than cores (such as %d on %s); the scheduler of the system is part of these numbers.",
		which, max(1, p.Ranks)*max(1, p.Threads)*max(1, p.Copies), plural(p.HostCores(), "core", "cores"))
}

// marked is trust for figures whose marks are grey where there are more ranks than cores.
func marked(points []cell.Point) string {
	if !slices.ContainsFunc(points, cell.Point.Oversubscribed) {
		return trust(points)
	}
	return "Grey marks: more ranks than cores. " + trust(points)
}

// Preempting counts the runs before which others took time of the cores, empty where none did.
func Preempting(points []cell.Point) string {
	runs, lost := map[string]bool{}, map[string]bool{}
	most := 0.0
	for _, p := range points {
		runs[p.Point.Run] = true
		if p.Preempted() > cell.MostLost {
			lost[p.Point.Run] = true
			most = max(most, p.Preempted())
		}
	}
	if len(lost) == 0 {
		return ""
	}
	return fmt.Sprintf("Preempted: before %d of %s other programs or guests took up to %s %% of the time of a core.", len(lost), plural(len(runs), "run", "runs"), style.Number(100*round(most)))
}

// round leaves a share in whole percents.
func round(share float64) float64 { return float64(int(100*share+0.5)) / 100 }

// Importing explains imported values, empty where there are none.
func Importing(points []cell.Point) string {
	said := cell.Imports(points)
	if len(said) == 0 {
		return ""
	}
	s := "Imported, without intervals: "
	for i, one := range said {
		if i > 0 {
			s += "; "
		}
		s += one
	}
	return s + "."
}

// Crowd is the part of an axis of ranks on which there are more ranks than cores.
type Crowd struct{ From float64 }

// crowd marks that part on a panel whose axis is the number of ranks, where all points were
// measured on hosts with as many cores.
func (f *Figure) crowd(p *Panel, points []cell.Point) {
	cores := points[0].HostCores()
	for _, point := range points {
		if point.HostCores() != cores || point.Threads > 1 || point.Copies > 1 {
			return
		}
	}
	if !slices.ContainsFunc(points, cell.Point.Oversubscribed) {
		return
	}
	p.Add(Crowd{From: float64(cores)})
	if !slices.ContainsFunc(f.Keys, func(k Key) bool { return k.Name == crowdKey.Name }) {
		f.Keys = append(f.Keys, crowdKey)
	}
}

var crowdKey = Key{Name: "more ranks than cores", Look: style.Series{Color: crowdColor}, Area: true}

var crowdColor = style.Tint(style.Grey, 0.16)

// crowdLast puts that entry of the legend behind those of series.
func (f *Figure) crowdLast() {
	if i := slices.IndexFunc(f.Keys, func(k Key) bool { return k.Name == crowdKey.Name }); i >= 0 {
		f.Keys = append(slices.Delete(f.Keys, i, i+1), crowdKey)
	}
}

// Plot implements plot.Plotter.
func (k Crowd) Plot(c draw.Canvas, p *plot.Plot) {
	x0 := max(c.Min.X, c.X(p.X.Norm(k.From))+1)
	if x0 >= c.Max.X {
		return
	}
	c.FillPolygon(crowdColor, []vg.Point{{X: x0, Y: c.Min.Y}, {X: c.Max.X, Y: c.Min.Y}, {X: c.Max.X, Y: c.Max.Y}, {X: x0, Y: c.Max.Y}})
}

// Marks implements Layer.
func (Crowd) Marks(draw.Canvas, *plot.Plot) []Mark { return nil }
