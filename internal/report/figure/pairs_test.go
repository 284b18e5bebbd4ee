package figure_test

import (
	"fmt"
	"strings"
	"testing"

	"gobench/internal/report/figure"
	"gobench/internal/report/figure/figuretest"
	"gobench/record"
)

// hostPairs returns ping-pongs of a size between pairs of hosts, in the given times.
func hostPairs(pairs [][2]string, time func(a, b string) record.Value) *record.File {
	f := &record.File{}
	sample := figuretest.Pairs().Points[0]
	for _, pair := range pairs {
		id := pair[0] + "-" + pair[1]
		run := figuretest.Run(id, pair[0], 2)
		run.Hosts = []any{map[string]any{"hostname": pair[0]}, map[string]any{"hostname": pair[1]}}
		run.Job = record.Job{Launcher: "ssh", Ranks: 2, Hosts: []int{0, 1}}
		f.Runs = append(f.Runs, run)
		p := sample
		p.Run, p.Cores, p.Transport = id, []int{-1, -1}, "tcp"
		p.Metrics = record.ValuesOf(map[string]record.Value{"half_rtt_s": time(pair[0], pair[1])})
		f.Points = append(f.Points, p)
	}
	return f
}

// A matrix of many pairs has the slowest of them, in bounded memory, and says how many are left
// out.
func TestPairsOfManyLocations(t *testing.T) {
	var pairs [][2]string
	for i := range 4000 {
		pairs = append(pairs, [2]string{fmt.Sprintf("a%04d", i), fmt.Sprintf("b%04d", i)})
	}
	figures := figure.Pairs(set(hostPairs(pairs, func(a, _ string) record.Value {
		if a == "a3777" {
			return record.Value{Median: 5e-3, N: 100}
		}
		return record.Value{Median: 1e-5, N: 100}
	})))
	if len(figures) != 1 {
		t.Fatalf("%d figures", len(figures))
	}
	f := figures[0]
	var heat figure.Heat
	for _, l := range f.Rows[0][0].Layers {
		if h, ok := l.(figure.Heat); ok {
			heat = h
		}
	}
	if len(heat.Values) != 64 || len(heat.Values[0]) != 64 || heat.Hi != 5000 {
		t.Errorf("%d rows up to %g µs, want 64 with the slowest pair, 5000 µs, and their 64 columns", len(heat.Values), heat.Hi)
	}
	if want := "7872 more places are not drawn"; !strings.Contains(strings.Join(f.Remarks, " "), want) {
		t.Errorf("no %q in %q", want, f.Remarks)
	}
}

// Hosts of ranks without cores have their names alone, which stand upright below narrow columns.
// One time for all pairs is no scale, and rare slow events are in the text of a field.
func TestPairsOfHosts(t *testing.T) {
	names := []string{"the-node-number-1", "the-node-number-2", "the-node-number-3", "the-node-number-4", "the-node-number-5", "the-node-number-6", "the-node-number-7", "the-node-number-8"}
	var pairs [][2]string
	for i, a := range names {
		for _, b := range names[i+1:] {
			pairs = append(pairs, [2]string{a, b})
		}
	}
	figures := figure.Pairs(set(hostPairs(pairs, func(_, b string) record.Value {
		v := record.Value{Median: 0.1255e-6, Mean: 0.13e-6, Max: 9e-6, N: 100}
		if b == "the-node-number-3" {
			v.Mean, v.Max = 4081e-6, 0.208
		}
		return v
	})))
	if len(figures) != 1 {
		t.Fatalf("%d figures", len(figures))
	}
	f := figures[0]
	if want := "the darker the slower, all are 0.1255 µs."; !strings.Contains(f.Caption, want) {
		t.Errorf("no %q in %s", want, f.Caption)
	}
	_, marks := f.SVG()
	if f.Rows[0][0].X.Tick.Label.Rotation == 0 {
		t.Error("the names lie over each other")
	}
	found := false
	for _, m := range marks {
		found = found || m.Text == "from the-node-number-1 to the-node-number-3: 0.1255 µs, mean up to 4081 µs, slowest event 208 000 µs, 1 launch"
	}
	if !found {
		t.Errorf("the lost packets are in no text: %v", marks)
	}
}
