package figure_test

import (
	"fmt"
	"strings"

	"gobench/internal/report/cell"
	"gobench/internal/report/figure"
	"gobench/internal/report/figure/figuretest"
	"gobench/internal/report/style"
)

// MessageTimes is a kind of figure: half round trip over the number of messages that fit into a
// MiB, a line for each transport.
func MessageTimes(s *cell.Set) []*figure.Figure {
	points := s.Where(func(p cell.Point) bool { return p.Size > 0 && p.Metrics.Median("half_rtt_s") > 0 })
	if len(points) == 0 {
		return nil
	}
	panel := figure.NewPanel("")
	panel.CountX("messages in a MiB", []float64{1, 1 << 10, 1 << 20})
	panel.YLabel = "half round trip, µs"
	panel.LogY()
	panel.Add(figure.Grid{})
	f := &figure.Figure{Name: "messages", Title: "Time over messages in a MiB", Rows: [][]*figure.Panel{{panel}}}
	position := func(p cell.Point) float64 { return float64(1<<20) / float64(p.Size) }
	for i, series := range cell.Split(points, "half_rtt_s", position, cell.Size) {
		look := style.Of(i)
		tooltip := func(c cell.Cell) string { return fmt.Sprintf("%s: %.3g µs", series.Name, c.Median*1e6) }
		panel.Add(figure.Curve{Name: series.Name, Look: look, Cells: series.Cells, Scale: 1e6, Tooltip: tooltip})
		f.Keys = append(f.Keys, figure.Key{Name: series.Name, Look: look})
	}
	f.Caption = strings.Join(cell.Common(points), ", ") + ". Points: median over launches."
	f.Method = cell.Method(points)
	return []*figure.Figure{f}
}

// A kind of figure is a function from records to figures.
func Example_newKind() {
	set := cell.NewSet()
	set.Add("records.jsonl", figuretest.PingPong(3))
	for _, f := range MessageTimes(set) {
		svg, _ := f.SVG()
		fmt.Println(f.Name+":", f.Keys[0].Name, "and", f.Keys[1].Name)
		fmt.Println(f.Caption)
		fmt.Println(strings.Contains(svg, "messages in a MiB"))
	}
	// Output:
	// messages: smem and tcp
	// ping-pong, level device, 2 ranks, on n1. Points: median over launches.
	// true
}

// A set has figures of some kinds, and lacks records for others.
func Example() {
	set := cell.NewSet()
	set.Add("records.jsonl", figuretest.PingPong(3))
	for _, f := range figure.PointToPoint(set) {
		fmt.Println(f.Name)
	}
	fmt.Println("scaling:", figure.Lacks(set, "scaling"))
	// Output:
	// pingpong
	// scaling: it needs collectives with several numbers of ranks (gobench coll np=2, then np=4)
}
