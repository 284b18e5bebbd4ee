package cell_test

import (
	"fmt"
	"testing"
	"time"

	"gobench/internal/report/cell"
	"gobench/record"
)

// A line has one state of the cores if each of its cells was measured in it often enough.
func TestALineIsOfOneState(t *testing.T) {
	const near, far = 30e-9, 160e-9
	file := &record.File{}
	add := func(size int64, distance, us float64, times int) {
		for i := range times {
			id := fmt.Sprint("r", len(file.Runs))
			file.Runs = append(file.Runs, record.Run{ID: id, Time: time.Unix(1, 0), Command: []string{"gobench"}, Job: record.Job{Launcher: "local", Ranks: 2}})
			file.Points = append(file.Points, record.Point{
				Run: id, Time: time.Unix(int64(len(file.Points)), 0), Bench: "pingpong", Transport: "smem", Level: "device", Size: size, Ranks: 2, RankKind: "process",
				StateDistance: distance, StateShare: 1, Iterations: 1, Launch: i + 1,
				Metrics: record.ValuesOf(map[string]record.Value{"half_rtt_s": {Median: us * 1e-6, N: 1}}),
			})
		}
	}
	add(8, near, 0.1, 5)
	add(8, far, 0.3, 3) // fewer than near, but the line is one of far cores
	add(64, near, 0.11, 4)
	add(64, far, 0.4, 5)
	add(512, near, 0.2, 1)
	add(512, far, 0.7, 7)
	s := cell.NewSet()
	s.Add("a.jsonl", file)
	series := cell.Split(s.Points, "half_rtt_s", func(p cell.Point) float64 { return float64(p.Size) })
	var got string
	for _, c := range series[0].Cells {
		got += fmt.Sprintf("%g:%v:%d ", c.X, c.Points[0].State(), c.Launches())
	}
	if want := "8:far:3 64:far:5 512:far:7 "; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Cores are far if nearer ones of this machine were known when the run began.
func TestStatesAreRelativeToWhatIsKnown(t *testing.T) {
	for nearest, want := range map[float64]string{0: "near", 30e-9: "far"} {
		file := &record.File{
			Runs:   []record.Run{{ID: "r", MinDistance: nearest}},
			Points: []record.Point{{Run: "r", Bench: "pingpong", Ranks: 2, StateDistance: 160e-9, StateShare: 1}},
		}
		s := cell.NewSet()
		s.Add("a.jsonl", file)
		if got := s.Points[0].State().String(); got != want {
			t.Errorf("least distance %g s: %s, want %s", nearest, got, want)
		}
	}
}
