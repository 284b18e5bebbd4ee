package figure_test

import (
	"slices"
	"strings"
	"testing"

	"gobench/internal/report/figure"
	"gobench/internal/report/figure/figuretest"
	"gobench/record"
)

// Where not all lines can be told apart, the fastest at each size are drawn, the choice of the
// defaults, and those of each transport and library. The number of the others is stated with the
// reason.
func TestTheFastestAreDrawn(t *testing.T) {
	ours := func(p *record.Point) bool { return p.Transport == "smem" && p.Ranks == 4 }
	both := func(p *record.Point) bool { return p.Ranks == 4 }
	for name, c := range map[string]struct {
		keep func(*record.Point) bool
		draw func(*record.File) []*figure.Figure
		want []string // series that are drawn
		left string
	}{
		"collectives": {ours, func(f *record.File) []*figure.Figure { return figure.Collectives(set(f)) }, []string{"l", "m", "n"}, "2 more series are not drawn, because"},
		"aggregate":   {ours, func(f *record.File) []*figure.Figure { return figure.Aggregate(set(f)) }, []string{"l", "m", "n"}, "2 more series are not drawn, because"},
		"scaling": {func(*record.Point) bool { return true }, func(f *record.File) []*figure.Figure { return figure.Scaling(set(f)) },
			[]string{"smem, l", "smem, m", "smem, n", "tcp, l", "tcp, m", "tcp, n"}, "16 more series are not drawn, because"},
		"tails": {ours, func(f *record.File) []*figure.Figure { return figure.Tails(set(f)) }, []string{"l", "m", "n"}, "more series are not drawn, because"},
		"rival": {ours, func(f *record.File) []*figure.Figure {
			f = &record.File{Runs: f.Runs, Points: slices.Clone(f.Points)}
			for _, p := range f.Points[:len(f.Points):len(f.Points)] {
				if p.Algorithm == "a" { // the slowest of all
					p.Library = "Open MPI"
					f.Points = append(f.Points, p)
				}
			}
			return figure.Collectives(set(f))
		}, []string{"Open MPI, a", "gobench, n"}, "3 more series are not drawn, because"},
		"two transports": {both, func(f *record.File) []*figure.Figure { return figure.Collectives(set(f))[1:] }, []string{"l", "m", "n"}, "2 more series are not drawn, because"},
	} {
		f := figuretest.Algorithms()
		f.Points = slices.DeleteFunc(f.Points, func(p record.Point) bool { return !c.keep(&p) })
		figures := c.draw(f)
		if len(figures) == 0 {
			t.Errorf("%s draws nothing", name)
			continue
		}
		var keys []string
		for _, k := range figures[0].Keys {
			keys = append(keys, k.Name)
		}
		for _, want := range c.want {
			if !slices.Contains(keys, want) {
				t.Errorf("%s draws %q, without %s", name, keys, want)
			}
		}
		if remarks := strings.Join(figures[0].Remarks, " "); name == "tails" && !strings.Contains(remarks, "3 of 4 sizes are drawn") {
			t.Errorf("no number of sizes in %s", remarks)
		}
		if remarks := strings.Join(figures[0].Remarks, " "); !strings.Contains(remarks, c.left) || !strings.Contains(remarks, "drawn are the best at each point") {
			t.Errorf("%s: no %q in %s", name, c.left, remarks)
		}
	}
}

// A figure keeps its name when the records divide it, and an unknown name does not list hundreds.
func TestNamesStay(t *testing.T) {
	f := &record.File{}
	for host := range 7 {
		one := figuretest.PingPong(1)
		for i := range one.Runs {
			one.Runs[i].ID = string(rune('a'+host)) + one.Runs[i].ID
			one.Runs[i].Hosts = []any{map[string]any{"hostname": "node0" + string(rune('0'+host))}}
		}
		for i := range one.Points {
			one.Points[i].Run = string(rune('a'+host)) + one.Points[i].Run
		}
		f.Runs, f.Points = append(f.Runs, one.Runs...), append(f.Points, one.Points...)
	}
	figures, err := figure.Named(set(f), "pingpong")
	if err != nil || len(figures) != 7 || figures[0].Name != "pingpong-node00" {
		t.Errorf("%d figures, %v", len(figures), err)
	}
	if tails, err := figure.Named(set(f), "pingpong-tails"); err != nil || len(tails) < 2 {
		t.Errorf("%d figures of tails, %v", len(tails), err)
	}
	if _, err := figure.Named(set(f), "pingpang-node00"); err == nil || len(err.Error()) > 200 || !strings.Contains(err.Error(), `did you mean "pingpong-node00"? figure=list prints all`) {
		t.Error(err)
	}
}

// Sizes that are left out of a figure over the number of ranks are counted.
func TestSizesAreCounted(t *testing.T) {
	if remarks := strings.Join(figure.Scaling(set(figuretest.Collectives()))[0].Remarks, " "); !strings.Contains(remarks, "4 of 7 sizes are drawn") {
		t.Error(remarks)
	}
}

// Rates on one core are relative to the fastest other program, whatever the names.
func TestTheReferenceIsTheFastestRival(t *testing.T) {
	f := figuretest.Kernels()
	f.Points = slices.DeleteFunc(f.Points, func(p record.Point) bool {
		return p.Library != "" || p.Ranks > 1 || p.Bench == "fdtd" || p.Baseline != ""
	})
	for _, p := range slices.Clone(f.Points) {
		for library, factor := range map[string]float64{"A slow one": 0.5, "zfast": 0.9} {
			rival, v := p, p.Metrics.Get("mops")
			v.Median *= factor
			rival.Library, rival.Metrics = library, record.ValuesOf(map[string]record.Value{"mops": v, "run_s": p.Metrics.Get("run_s")})
			f.Points = append(f.Points, rival)
		}
	}
	figures := figure.OneCore(set(f))
	if len(figures) != 1 || figures[0].Rows[0][0].YLabel != "rate / rate of zfast" || figures[0].Keys[1].Name != "gobench" {
		t.Fatalf("%s relative to %s, %+v", figures[0].Caption, figures[0].Rows[0][0].YLabel, figures[0].Keys)
	}
}
