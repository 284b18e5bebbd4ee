package figure

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gobench/internal/human"
	"gobench/internal/report/cell"
	"gobench/internal/report/style"
	"gobench/record"
)

// oversubscribed reports whether a cell had more ranks than cores. Its mark is grey.
func oversubscribed(c cell.Cell) bool {
	return slices.ContainsFunc(c.Points, cell.Point.Oversubscribed)
}

// caveats returns the caveats of the points of a figure: oversubscription, preemption, imported
// values.
func caveats(points []cell.Point) string {
	return join(Oversubscription(points), Preemption(points), ImportRemarks(points))
}

// Oversubscription returns a sentence with the number of points with more ranks than cores, empty
// if there are none.
func Oversubscription(points []cell.Point) string {
	n := cell.Share(points, cell.Point.Oversubscribed)
	if n == 0 {
		return ""
	}
	p := points[slices.IndexFunc(points, cell.Point.Oversubscribed)]
	which := fmt.Sprintf("%d of %s", n, human.Count(cell.Records(points), "record", "records"))
	if n == cell.Records(points) {
		which = "all records"
	}
	return fmt.Sprintf("Oversubscribed: %s with more ranks than cores (such as %d on %s); these numbers include the scheduler of the operating system.",
		which, max(1, p.Ranks)*max(1, p.Threads)*max(1, p.Copies), human.Count(p.HostCores(), "core", "cores"))
}

// markedCaveats is caveats for figures with grey marks for oversubscribed cells.
func markedCaveats(points []cell.Point) string {
	if !slices.ContainsFunc(points, cell.Point.Oversubscribed) {
		return caveats(points)
	}
	return "Grey marks: more ranks than cores. " + caveats(points)
}

// Preemption returns a sentence with the number of runs before which the noise probe lost much time
// to other programs, empty if there are none.
func Preemption(points []cell.Point) string {
	runs, lost := map[string]bool{}, map[string]bool{}
	largest := 0.0
	var last *record.Run
	for _, p := range cell.Every(points) {
		if p.Run != nil && p.Run == last {
			continue
		}
		last = p.Run
		runs[p.Point.Run] = true
		if p.Preempted() > cell.MaxLost {
			lost[p.Point.Run] = true
			largest = max(largest, p.Preempted())
		}
	}
	if len(lost) == 0 {
		return ""
	}
	return fmt.Sprintf("Preempted: before %d of %s a core lost up to %s %% of its time to interrupts, other programs or the hypervisor.", len(lost), human.Count(len(runs), "run", "runs"), style.Number(math.Round(100*largest)))
}

// ImportRemarks explains imported values, empty if there are none.
func ImportRemarks(points []cell.Point) string {
	said := cell.Imports(points)
	if len(said) == 0 {
		return ""
	}
	return "Imported: " + strings.Join(said, "; ") + "."
}

// An OversubscribedArea shades the part of an axis of ranks with more ranks than cores.
type OversubscribedArea struct{ From float64 }

// markOversubscribed adds an OversubscribedArea to a panel if all points were measured on hosts
// with the same number of cores.
func (f *Figure) markOversubscribed(p *Panel, points []cell.Point) {
	cores := points[0].HostCores()
	for _, point := range points {
		if point.HostCores() != cores || point.Threads > 1 || point.Copies > 1 {
			return
		}
	}
	if !slices.ContainsFunc(points, cell.Point.Oversubscribed) {
		return
	}
	fits, more := 0, math.MaxInt
	for _, point := range points {
		if point.Oversubscribed() {
			more = min(more, point.Ranks)
		} else {
			fits = max(fits, point.Ranks)
		}
	}
	p.Add(OversubscribedArea{From: math.Sqrt(float64(fits) * float64(more))}) // between the two marks
	if !slices.ContainsFunc(f.Keys, func(k Key) bool { return k.Name == oversubscribedKey.Name }) {
		f.Keys = append(f.Keys, oversubscribedKey)
	}
}

var oversubscribedKey = Key{Name: "more ranks than cores", Look: style.Series{Color: oversubscribedColor}, Area: true}

var oversubscribedColor = style.Tint(style.Grey, 0.16)

// oversubscribedLast moves the legend entry of the area after those of series.
func (f *Figure) oversubscribedLast() {
	if i := slices.IndexFunc(f.Keys, func(k Key) bool { return k.Name == oversubscribedKey.Name }); i >= 0 {
		f.Keys = append(slices.Delete(f.Keys, i, i+1), oversubscribedKey)
	}
}

// Plot implements plot.Plotter.
func (k OversubscribedArea) Plot(c draw.Canvas, p *plot.Plot) {
	x0 := max(c.Min.X, c.X(p.X.Norm(k.From))+1)
	if x0 >= c.Max.X {
		return
	}
	c.FillPolygon(oversubscribedColor, []vg.Point{{X: x0, Y: c.Min.Y}, {X: c.Max.X, Y: c.Min.Y}, {X: c.Max.X, Y: c.Max.Y}, {X: x0, Y: c.Max.Y}})
}
