package cell_test

import (
	"fmt"
	"slices"
	"testing"

	"gobench/internal/report/cell"
	"gobench/record"
)

// rival returns a series with a value at each of the positions 1, 2, 4, ...
func rival(name, library, transport string, values ...float64) cell.Series {
	s := cell.Series{Name: name}
	for i, v := range values {
		p := cell.Point{Point: &record.Point{Library: library, Transport: transport, Algorithm: name}}
		s.Cells = append(s.Cells, cell.Cell{X: float64(int(1) << i), Median: v, Points: []cell.Point{p}})
	}
	return s
}

// byTable marks a series as the choice of the defaults at a position.
func byTable(s cell.Series, at int) cell.Series {
	s.Cells[at].Points[0].ByTable = true
	return s
}

// Series are ranked by what they reach and by what is compared, whatever their names and their
// order in the records.
func TestRank(t *testing.T) {
	series := []cell.Series{
		rival("a", "", "smem", 5, 5, 5), // the slowest over smem
		rival("b", "", "tcp", 11, 11, 40),
		rival("c", "", "tcp", 12, 12, 30), // the best of tcp at a position
		byTable(rival("d", "", "smem", 2, 2, 2), 2),
		rival("e", "Open MPI", "mpi", 4, 4, 4),
		rival("f", "MPICH", "mpi", 9, 9, 9),
		rival("y", "", "smem", 3, 3, 1), // the best at one position
		rival("z", "", "smem", 1, 1, 4), // the best at two
	}
	want := []string{"z", "d", "e", "f", "c", "y", "b", "a"}
	for range series {
		if got := cell.Rank(cell.Contest{Metric: "t_s", Series: series}); !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
		series = append(series[1:], series[0])
	}
	// Of rates more is better.
	if got := cell.Rank(cell.Contest{Metric: "bandwidth_Bps", Series: series}); got[0] != "c" {
		t.Errorf("of rates %v", got)
	}
	if got := cell.Rank(); len(got) != 0 {
		t.Errorf("of nothing %v", got)
	}
}

// Of series that differ only in their hosts the best and the worst are shown: in a survey of pairs
// these are the ones that matter.
func TestRankOfPlacements(t *testing.T) {
	var series []cell.Series
	for i, v := range []float64{1200, 1210, 72739, 1190, 1220, 70000} {
		name := fmt.Sprintf("h1,h%d", i+2)
		run := &record.Run{Hosts: []any{map[string]any{"hostname": "h1"}, map[string]any{"hostname": name[3:]}}}
		p := cell.Point{Point: &record.Point{Bench: "pingpong", Transport: "tcp"}, Run: run}
		series = append(series, cell.Series{Name: name, Cells: []cell.Cell{{X: 8, Median: v, Points: []cell.Point{p}}}})
	}
	if got, want := cell.Rank(cell.Contest{Metric: "t_s", Series: series})[:3], []string{"h1,h5", "h1,h4", "h1,h7"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
