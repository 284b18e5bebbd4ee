package figure

import (
	"math"
	"testing"

	"gobench/bench/record"
	"gobench/report/cell"
)

// The band of a speedup is that of both rates or times, and one rank is exactly 1.
func TestTheBandOfASpeedup(t *testing.T) {
	s := cell.Series{Cells: []cell.Cell{{X: 1, Median: 10, Lo: 9, Hi: 11}, {X: 4, Median: 30, Lo: 27, Hi: 33}, {X: 8, Median: 40}}}
	up := speedup(s, "mops", s.Cells[0])
	if c := up.Cells[1]; math.Abs(c.Median-3) > 1e-12 || !(c.Lo < 2.7 && c.Hi > 3.3) {
		t.Errorf("%+v", c)
	}
	if c := up.Cells[0]; c.Median != 1 || c.Lo != 0 {
		t.Errorf("one rank: %+v", c)
	}
	if c := up.Cells[2]; c.Median != 4 || c.Lo != 0 || c.Hi != 0 {
		t.Errorf("without interval: %+v", c)
	}
	s.Cells[1].Median, s.Cells[1].Lo, s.Cells[1].Hi = 2.5, 2, 3
	if up = speedup(s, "run_s", s.Cells[0]); up.Cells[1].Median != 4 || !(up.Cells[1].Lo < 10.0/3 && up.Cells[1].Hi > 5) {
		t.Errorf("of times: %+v", up.Cells[1])
	}
}

// A series without one rank refers to that of another series of the same program, because a single
// rank does not depend on the transport. It depends on the number of threads.
func TestTheBaseOfASpeedup(t *testing.T) {
	series := func(name string, threads int, xs ...float64) cell.Series {
		s := cell.Series{Name: name}
		for _, x := range xs {
			p := cell.Point{Point: &record.Point{Threads: threads, Level: "comm"}}
			s.Cells = append(s.Cells, cell.Cell{X: x, Median: 10 * x, Points: []cell.Point{p}})
		}
		return s
	}
	smem, both, threads := series("smem", 1, 1, 2), series("smem+tcp", 1, 2, 4), series("2 threads", 2, 2, 4)
	all := []cell.Series{both, threads, smem}
	for _, c := range []struct {
		s    cell.Series
		want string
	}{{smem, "smem"}, {both, "smem"}, {threads, ""}} {
		one, of := oneRank(c.s, all, []cell.Factor{cell.Threads}, program)
		if of != c.want || (one == nil) != (c.want == "") || one != nil && one.Median != 10 {
			t.Errorf("%s refers to %q: %+v", c.s.Name, of, one)
		}
	}
}
