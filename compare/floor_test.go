package compare

import (
	"math"
	"strings"
	"testing"

	"gobench/record"
)

// A floor measures the difference between sessions for the requested number of launches.
func TestFloorOfSessions(t *testing.T) {
	for _, tau := range []float64{0, 0.02, 0.04} {
		floor := machine{sigma: 0.04, tau: tau, launches: 16, cells: 30}.floor(8, 1)
		if floor.Cells() != 30 || len(floor.Differences()) != 30 {
			t.Fatalf("%d cells", floor.Cells())
		}
		for _, n := range []float64{8, 16, 64} {
			want := math.Sqrt(1 + n*tau*tau/0.04/0.04)
			if got := floor.widening(n); got > 1.5*want || got < 0.85*want {
				t.Errorf("sessions differ by %v: widened by %.2f for %v launches, want about %.2f", tau, got, n, want)
			}
		}
	}
}

// A floor that was measured within less time than the comparison does not make an interval narrower
// than without a floor.
func TestAShortFloor(t *testing.T) {
	short := NewFloor(campaign{name: "f", launches: 64, sizes: 8, sigma: 0.01}.source(5).File)
	a, b := campaign{name: "a", launches: 8, sizes: 8, sigma: 0.01, turns: true}, campaign{name: "b", launches: 8, sizes: 8, sigma: 0.01, turns: true, hour: 4}
	without := mustCompare(t, Options{}, a.source(1), b.source(2)).Rows[0].Widening
	if got := mustCompare(t, Options{Floor: short}, a.source(1), b.source(2)).Rows[0].Widening; got < without {
		t.Errorf("widened by %v, without a floor by %v", got, without)
	}
	short.span *= 100
	if got := mustCompare(t, Options{Floor: short}, a.source(1), b.source(2)).Rows[0].Widening; got >= without {
		t.Errorf("a long floor of equal sessions: widened by %v, without a floor by %v", got, without)
	}
}

// A floor whose sessions have too few launches to be compared says nothing: intervals are those
// without a floor.
func TestAFloorWithoutPairs(t *testing.T) {
	file := machine{sigma: 0.01, launches: 3, cells: 4}.floor(5, 1)
	if file.Cells() != 4 || file.Compares() {
		t.Fatalf("%d cells of 5 sessions of 3 launches, pairs: %v", file.Cells(), file.Compares())
	}
	a, b := campaign{name: "a", launches: 8, sizes: 8, sigma: 0.01}, campaign{name: "b", launches: 8, sizes: 8, sigma: 0.01, hour: 4}
	without := mustCompare(t, Options{}, a.source(1), b.source(2)).Rows[0].Widening
	file.span *= 100
	if got := mustCompare(t, Options{Floor: file}, a.source(1), b.source(2)).Rows[0].Widening; got != without {
		t.Errorf("widened by %v, without a floor by %v", got, without)
	}
}

// Options that differ between launches separate the cells of a floor.
func TestFloorSeparatesOptions(t *testing.T) {
	file := &record.File{}
	for side, factor := range []float64{1, 2} {
		s := campaign{name: []string{"x", "y"}[side], launches: 8, sizes: 1, sigma: 0.001, slow: always(factor)}.source(uint64(side + 1))
		for i := range s.File.Points {
			s.File.Points[i].Options = map[string]string{"copy": []string{"cma", "ring"}[side]}
		}
		file.Runs, file.Points = append(file.Runs, s.File.Runs...), append(file.Points, s.File.Points...)
	}
	if floor := NewFloor(file).Differences(); len(floor) != 2 || floor[len(floor)-1] > 0.01 {
		t.Errorf("floors %v of launches that vary by 0.1 %%", floor)
	}
}

// on sets the processor of all runs of a source.
func on(s Source, model string) Source {
	for i := range s.File.Runs {
		s.File.Runs[i].Hosts = []any{map[string]any{"hostname": "n1", "cpu": map[string]any{"model": model, "cores": 2}}}
	}
	return s
}

func TestDifferentMachinesAreInconclusive(t *testing.T) {
	a := campaign{name: "a", launches: 8, sizes: 4, sigma: 0.002}
	b := a
	b.name = "b"
	for _, slow := range []float64{1, 3} {
		b.slow = always(slow)
		old, other := on(a.source(1), "x"), on(b.source(2), "y")
		r := mustCompare(t, Options{Gate: true}, old, other)
		if want := "the machines of the sides differ in host.cpu.model: across-machines compares them nevertheless"; r.Gate.Conclusion != Noisy || r.Gate.Why != want {
			t.Errorf("%+v", r.Gate)
		}
		want := map[float64]Conclusion{1: Passed, 3: Failed}[slow]
		if r := mustCompare(t, Options{Gate: true, AcrossMachines: true}, old, other); r.Gate.Conclusion != want {
			t.Errorf("across machines: %+v", r.Gate)
		}
		if r := mustCompare(t, Options{Gate: true, By: "cpu", Base: "x"}, old, other); r.Gate.Conclusion != want {
			t.Errorf("machines are compared: %+v", r.Gate)
		}
		if r := mustCompare(t, Options{Gate: true}, old, on(b.source(2), "x")); r.Gate.Conclusion != want {
			t.Errorf("one machine: %+v", r.Gate)
		}
	}
}

func TestTheFloorOfAnotherMachineIsRefused(t *testing.T) {
	floor := NewFloor(on(campaign{name: "f", launches: 16, sizes: 4, sigma: 0.2}.source(5), "y").File)
	a, b := campaign{name: "a", launches: 8, sizes: 4, sigma: 0.002}, campaign{name: "b", launches: 8, sizes: 4, sigma: 0.002}
	r := mustCompare(t, Options{Gate: true, Floor: floor}, on(a.source(1), "x"), on(b.source(2), "x"))
	want := "the noise floor was measured on another machine (host.cpu.model)"
	if r.Gate.Conclusion != Noisy || r.Gate.Why != want || !strings.Contains(strings.Join(r.Warnings, "\n"), want) {
		t.Errorf("%+v, warnings %q", r.Gate, r.Warnings)
	}
	without := mustCompare(t, Options{Gate: true}, on(a.source(1), "x"), on(b.source(2), "x"))
	if r.Rows[0].Widening != without.Rows[0].Widening {
		t.Errorf("widened by %v, without a floor by %v", r.Rows[0].Widening, without.Rows[0].Widening)
	}
}

func TestSameProgramIsReported(t *testing.T) {
	a, b := campaign{name: "a", launches: 8, sizes: 1, sigma: 0.002}.source(1), campaign{name: "b", launches: 8, sizes: 1, sigma: 0.002, slow: always(1.5)}.source(2)
	said := func() bool {
		r := mustCompare(t, Options{}, a, b)
		return r.SameProgram && strings.Contains(strings.Join(r.Warnings, "\n"), "same program on all sides: every difference is caused by the machine")
	}
	if said() {
		t.Error("without digests")
	}
	for i := range a.File.Runs {
		a.File.Runs[i].Program = map[string]any{"sha256": "abcdef"}
	}
	for i := range b.File.Runs { // a sweep records the first digits
		b.File.Launches = append(b.File.Launches, record.Launch{Run: b.File.Runs[i].ID, Build: "abc"})
	}
	if !said() {
		t.Error("no warning about equal digests")
	}
	if mustCompare(t, Options{By: "size"}, a, b).SameProgram {
		t.Error("sizes are compared: their differences are not caused by the machine")
	}
	b.File.Launches[3].Build = "abd"
	if said() {
		t.Error("another program in one launch")
	}
}
