package figure_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gobench/internal/report/figure"
	"gobench/internal/report/figure/figuretest"
	"gobench/internal/report/style"
	"gobench/record"
)

// heatOf returns the matrix of a panel.
func heatOf(t *testing.T, p *figure.Panel) figure.Heat {
	t.Helper()
	for _, l := range p.Layers {
		if h, ok := l.(figure.Heat); ok {
			return h
		}
	}
	t.Fatal("the panel has no matrix")
	return figure.Heat{}
}

// Each series has a row with its times over the fastest at a size, in a panel of its ranks and its
// medium, and the choice of the defaults is marked.
func TestBest(t *testing.T) {
	f := figure.Best(drawn["algorithms"])[0]
	if len(f.Rows) != 4 {
		t.Fatalf("%d panels, want 2 numbers of ranks x 2 media", len(f.Rows))
	}
	p := f.Rows[0][0]
	h := heatOf(t, p)
	if p.Heading != "2 ranks, shared memory" || len(h.Values) != 14 || len(h.Values[0]) != 4 {
		t.Fatalf("%s: %d rows", p.Heading, len(h.Values))
	}
	// n: (16-13)/4 times the least; l: 16-11 times
	want := map[string][2]string{"smem, n": {"1.0", "3.0"}, "smem, l": {"6.7*", "5.0*"}, "smem, a": {"21", "16"}}
	for name, labels := range want {
		row := slices.Index(names(p), name)
		if row < 0 || h.Labels[row][0] != labels[0] || h.Labels[row][3] != labels[1] {
			t.Errorf("%s: row %d of %q", name, row, h.Labels)
		}
	}
	two := figuretest.Algorithms()
	two.Points = slices.DeleteFunc(two.Points, func(p record.Point) bool { return p.Algorithm > "b" })
	if figures := figure.Best(set(two)); len(figures) != 0 {
		t.Error("two series have a matrix, which two lines show better")
	}
}

// The fastest algorithm changes with the size, and differs between transports.
func TestChoice(t *testing.T) {
	f := figure.Choice(drawn["algorithms"])[0]
	for i, want := range []string{"n n n m", "m m m n"} {
		for ranks, labels := range heatOf(t, f.Rows[i][0]).Labels {
			if got := strings.Join(labels, " "); got != want {
				t.Errorf("%s, row %d: %s, want %s", f.Rows[i][0].Heading, ranks, got, want)
			}
		}
	}
	var first []string
	for _, k := range f.Keys {
		first = append(first, k.Name)
	}
	if got := strings.Join(first, " "); got != "n m" { // in the order of the sizes, in each run
		t.Errorf("keys %s", got)
	}
	if figures := figure.Choice(drawn["collectives"]); len(figures) != 0 {
		t.Error("algorithms that the program chose are compared")
	}
}

// Sizes of caches, and where the protocol changes, are lines where messages are smaller and larger.
// Many changes have no lines.
func TestLinesAtSizes(t *testing.T) {
	f := figuretest.PingPong(2)
	for i := range f.Runs {
		f.Runs[i].Hosts = []any{map[string]any{"hostname": "n1", "caches": []any{
			map[string]any{"level": 1, "type": "Data", "size_B": 32 << 10}, map[string]any{"level": 1, "type": "Instruction", "size_B": 64 << 10},
			map[string]any{"level": 2, "type": "Unified", "size_B": 1 << 20}, map[string]any{"level": 3, "type": "Unified", "size_B": 32 << 20}}}}
	}
	for i := range f.Points {
		if p := &f.Points[i]; p.Transport == "tcp" && p.Size >= 1<<20 {
			p.Path = "rndv-get"
		}
	}
	one := figure.PointToPoint(set(f))[0]
	if want := "Dotted: sizes of caches (L1 32 KiB, L2 1 MiB)."; !strings.Contains(one.Caption, want) {
		t.Errorf("no %q in %s", want, one.Caption)
	}
	lines := func(p *figure.Panel) (list []string) {
		for _, l := range p.Layers {
			if r, ok := l.(figure.Rule); ok && r.Vertical {
				list = append(list, strings.TrimSpace(style.Size(int64(r.At))+" "+r.Text))
			}
		}
		return list
	}
	for i, want := range [][]string{{"32 KiB", "1 MiB", "64 KiB rndv-put from 64 KiB", "1 MiB rndv-get from 1 MiB"}, {"32 KiB", "1 MiB", "64 KiB", "1 MiB"}} {
		if got := lines(one.Rows[i][0]); !slices.Equal(got, want) {
			t.Errorf("panel %d has lines %q, want %q", i, got, want)
		}
	}
	for i := range f.Points {
		f.Points[i].Path = f.Points[i].Path + fmt.Sprint(f.Points[i].Size)
	}
	if got := lines(figure.PointToPoint(set(f))[0].Rows[0][0]); len(got) != 2 {
		t.Errorf("a change at each size has lines %q", got)
	}
}
