package figure

import (
	"math"
	"testing"

	"gobench/internal/report/cell"
	"gobench/record"
)

// The band of a speedup covers the bands of both rates or times, and one rank is exactly 1.
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

// All series of a program refer to its fastest run on one rank, because a single rank uses no
// transport: a transport whose own run on one rank was disturbed gains nothing by it. A rank with
// other threads and one on another host are no base.
func TestTheBaseOfASpeedup(t *testing.T) {
	series := func(name, host string, threads int, rate float64, xs ...float64) cell.Series {
		s := cell.Series{Name: name}
		run := &record.Run{Hosts: []any{map[string]any{"hostname": host}}}
		for _, x := range xs {
			p := cell.Point{Point: &record.Point{Threads: threads, Level: "comm"}, Run: run}
			s.Cells = append(s.Cells, cell.Cell{X: x, Median: rate * x, Points: []cell.Point{p}})
		}
		return s
	}
	smem, tcp, both, threads, other := series("smem", "a", 1, 784, 1, 2), series("tcp", "a", 1, 382, 1, 2), series("smem+tcp", "a", 1, 10, 2, 4), series("2 threads", "a", 2, 10, 2, 4), series("other", "b", 1, 900, 1, 2)
	for _, all := range [][]cell.Series{{both, threads, smem, tcp, other}, {other, tcp, smem, threads, both}} {
		for _, c := range []struct {
			s    cell.Series
			want string
		}{{smem, "smem"}, {tcp, "smem"}, {both, "smem"}, {threads, ""}, {other, "other"}} {
			one, of := oneRank(c.s, all, "mops", overRanks("").program())
			if of != c.want || (one == nil) != (c.want == "") {
				t.Errorf("%s refers to %q: %+v", c.s.Name, of, one)
			}
		}
	}
	if _, of := oneRank(smem, []cell.Series{smem, tcp}, "run_s", overRanks("").program()); of != "tcp" {
		t.Errorf("the shortest run is that of %s", of)
	}
}
