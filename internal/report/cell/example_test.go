package cell_test

import (
	"fmt"

	"gobench/internal/report/cell"
	"gobench/internal/report/figure/figuretest"
)

// The ping-pongs of two transports are two series over the size of the messages, with a cell of
// three launches for each size.
func Example() {
	set := cell.NewSet()
	set.Add("records.jsonl", figuretest.PingPong(3))
	points := set.Where(func(p cell.Point) bool { return p.Size >= 8 })
	size := func(p cell.Point) float64 { return float64(p.Size) }
	for _, s := range cell.Split(points, "half_rtt_s", size, cell.Size) {
		first := s.Cells[0]
		fmt.Printf("%s: %d cells from %g B, of %d launches each, %.2g µs\n", s.Name, len(s.Cells), first.X, first.Launches(), first.Median*1e6)
	}
	// Output:
	// smem: 20 cells from 8 B, of 3 launches each, 0.1 µs
	// tcp: 20 cells from 8 B, of 3 launches each, 6.1 µs
}
