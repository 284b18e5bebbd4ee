package figure

import (
	"math"
	"testing"

	"gobench/report/cell"
)

// The band of a speedup is that of both rates or times, and one rank is exactly 1.
func TestTheBandOfASpeedup(t *testing.T) {
	s := cell.Series{Cells: []cell.Cell{{X: 1, Median: 10, Lo: 9, Hi: 11}, {X: 4, Median: 30, Lo: 27, Hi: 33}, {X: 8, Median: 40}}}
	up, base := speedup(s, "mops")
	if c := up.Cells[1]; base != 10 || math.Abs(c.Median-3) > 1e-12 || !(c.Lo < 2.7 && c.Hi > 3.3) {
		t.Errorf("on %v: %+v", base, c)
	}
	if c := up.Cells[0]; c.Median != 1 || c.Lo != 0 {
		t.Errorf("one rank: %+v", c)
	}
	if c := up.Cells[2]; c.Median != 4 || c.Lo != 0 || c.Hi != 0 {
		t.Errorf("without interval: %+v", c)
	}
	s.Cells[1].Median, s.Cells[1].Lo, s.Cells[1].Hi = 2.5, 2, 3
	if up, _ = speedup(s, "run_s"); up.Cells[1].Median != 4 || !(up.Cells[1].Lo < 10.0/3 && up.Cells[1].Hi > 5) {
		t.Errorf("of times: %+v", up.Cells[1])
	}
}
