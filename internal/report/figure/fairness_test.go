package figure_test

import (
	"slices"
	"strings"
	"testing"

	"gobench/internal/report/figure"
	"gobench/internal/report/figure/figuretest"
	"gobench/record"
)

// What is not equal between gobench and a rival stands beside the figure, with whom it favours, and
// only where it applies.
func TestInequalitiesStandBesideTheFigure(t *testing.T) {
	beside := func(f *record.File, library, transport string, change func(r *record.Run, own, rival *record.Point)) *record.File {
		run := f.Runs[0]
		run.ID, run.Hosts = "rival", slices.Clone(run.Hosts)
		for i, p := range slices.Clone(f.Points) {
			if p.Transport == transport {
				p.Run, p.Library, p.Options = run.ID, library, nil
				change(&run, &f.Points[i], &p)
				f.Points = append(f.Points, p)
			}
		}
		f.Runs = append(f.Runs, run)
		return f
	}
	facts := func(r *record.Run, name string, value any) {
		r.Hosts = []any{map[string]any{"hostname": "n1", name: value}}
	}
	kernel := func(bench string) *record.File {
		f := figuretest.Kernels()
		f.Points = slices.DeleteFunc(f.Points, func(p record.Point) bool { return p.Bench != bench || p.Library != "" })
		for i := range f.Points {
			f.Points[i].Bench = map[string]string{"cg": "npb/cg", "mg": "npb/ep"}[bench]
		}
		return f
	}
	for name, c := range map[string]struct {
		file *record.File
		want []string // in a note
		not  string
	}{
		"states": {beside(figuretest.PingPong(1), "MPICH", "smem", func(_ *record.Run, own, _ *record.Point) { own.StateShare = 0.7 }),
			[]string{"that of MPICH of all samples (favours gobench)"}, "congestion"},
		"states of both": {beside(figuretest.PingPong(1), "MPICH", "smem", func(_ *record.Run, own, rival *record.Point) { own.StateShare, rival.StateShare = 0.7, 0.6 }),
			nil, "of all samples"},
		"congestion": {beside(figuretest.PingPong(1), "MPICH", "tcp", func(r *record.Run, own, _ *record.Point) {
			own.Options = map[string]string{"congestion": "reno"}
			facts(r, "tcp_congestion", "bbr")
		}), []string{"the congestion control of gobench is reno, that of MPICH the system's, bbr (may favour gobench)"}, "of all samples"},
		"C sets it": {beside(figuretest.PingPong(1), "C polled", "tcp", func(r *record.Run, own, _ *record.Point) {
			own.Options = map[string]string{"congestion": "reno"}
			facts(r, "tcp_congestion", "bbr")
		}), nil, "congestion"},
		"set for it": {beside(figuretest.PingPong(1), "MPICH", "tcp", func(r *record.Run, own, rival *record.Point) {
			own.Options, rival.Found = map[string]string{"congestion": "reno"}, map[string]string{"congestion": "reno"}
			facts(r, "tcp_congestion", "bbr")
		}), nil, "congestion"},
		"CG":    {beside(kernel("cg"), "C", "smem", func(*record.Run, *record.Point, *record.Point) {}), []string{"without -ffast-math", "12 bytes, one of gobench 10 (favours gobench)"}, "logarithm"},
		"EP":    {beside(kernel("mg"), "C", "smem", func(*record.Run, *record.Point, *record.Point) {}), []string{"EP has no vector logarithm"}, "12 bytes"},
		"alone": {figuretest.PingPong(1), nil, "not equal"},
	} {
		s := set(c.file)
		figures := append(figure.PointToPoint(s), figure.Kernels(s)...)
		if len(figures) == 0 {
			t.Errorf("%s: no figure", name)
			continue
		}
		remarks := strings.Join(figures[0].Remarks, "\n")
		for _, want := range c.want {
			if !strings.Contains(remarks, want) {
				t.Errorf("%s: no %q in %s", name, want, remarks)
			}
		}
		if strings.Contains(remarks, c.not) {
			t.Errorf("%s: %q is in %s", name, c.not, remarks)
		}
	}
}
