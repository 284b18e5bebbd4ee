package figure_test

import (
	"slices"
	"strings"
	"testing"

	"gobench/internal/report/figure"
	"gobench/internal/report/figure/figuretest"
	"gobench/record"
	"gobench/stats"
)

// of returns the records of one transport as those of another program, with the metrics that keep
// selects.
func of(f *record.File, library, transport string, keep func(metric string) bool) *record.File {
	f.Points = slices.DeleteFunc(f.Points, func(p record.Point) bool { return p.Transport != transport })
	for i := range f.Points {
		p := &f.Points[i]
		p.Library = library
		var metrics record.Values
		for key, v := range p.Metrics.All() {
			if keep(key) {
				metrics.Set(key, v)
			}
		}
		p.Metrics = metrics
	}
	return f
}

// drawnBy returns the number of curves of each panel by the name in the legend of their look.
func drawnBy(f *figure.Figure) (panels []map[string]int) {
	for _, row := range f.Rows {
		names := map[string]int{}
		for _, l := range row[0].Layers {
			if c, ok := l.(figure.Curve); ok {
				i := slices.IndexFunc(f.Keys, func(k figure.Key) bool { return k.Look.Color == c.Look.Color })
				if i < 0 {
					names["?"]++
					continue
				}
				names[f.Keys[i].Name] += len(c.Cells)
			}
		}
		panels = append(panels, names)
	}
	return panels
}

// Other programs may record rates only. They have the same look in all panels, and a note names
// those without a time.
func TestSourcesWithoutATime(t *testing.T) {
	own := of(figuretest.PingPong(1), "", "smem", func(string) bool { return true })
	log := of(figuretest.PingPong(1), "Another MPI", "smem", func(key string) bool { return key == "bandwidth_Bps" })
	log.Points = slices.DeleteFunc(log.Points, func(p record.Point) bool { return p.Size == 0 })
	for _, files := range [][]*record.File{{own, log}, {log, own}} {
		f := figure.PointToPoint(set(files...))[0]
		panels := drawnBy(f)
		if len(panels) != 2 || panels[0]["gobench"] != 24 || len(panels[0]) != 1 || panels[1]["gobench"] != 23 || panels[1]["Another MPI"] != 23 {
			t.Errorf("curves %v", panels)
		}
		if remarks := strings.Join(f.Remarks, " "); !strings.Contains(remarks, "the records of Another MPI have no half round trip") {
			t.Errorf("notes %q", remarks)
		}
	}
}

// If some programs record fewer times of a collective, all are drawn by the time that all have. If
// there is none, each time has a figure.
func TestSourcesWithOtherTimes(t *testing.T) {
	both := figuretest.Collectives()
	for i := range both.Points {
		p := &both.Points[i]
		p.Metrics.Set("local_s", p.Metrics.Get("global_s"))
	}
	other := func(lost string) *record.File {
		f := of(figuretest.Collectives(), "IMB", "smem", func(string) bool { return true })
		for i := range f.Points {
			p := &f.Points[i]
			p.Metrics.Set("local_s", p.Metrics.Get("global_s"))
			p.Metrics.Delete(lost)
		}
		return f
	}
	f := figure.Collectives(set(both, other("global_s")))
	if len(f) != 1 || len(drawnBy(f[0])[0]) != 6 || f[0].Rows[0][0].Shows.Metric != "local_s" {
		t.Errorf("%d figures, curves %v of %s", len(f), drawnBy(f[0]), f[0].Rows[0][0].Shows.Metric)
	}
	for i := range both.Points {
		both.Points[i].Metrics.Delete("local_s")
	}
	var shown []string
	for _, f := range figure.Collectives(set(both, other("global_s"))) {
		shown = append(shown, f.Name+" "+f.Rows[0][0].Shows.Metric)
	}
	if got := strings.Join(shown, ", "); got != "bcast-global_s global_s, bcast-local_s local_s" {
		t.Errorf("figures %s", got)
	}
}

// Each level and label has its own map of pairs, and sizes with similar texts too.
func TestMapsOfPairsAreOfOneSeries(t *testing.T) {
	f := figuretest.Pairs()
	for _, p := range slices.Clone(f.Points) {
		p.Size = 65535
		f.Points = append(f.Points, p)
		p.Size = 65537
		f.Points = append(f.Points, p)
		p.Level = "raw"
		f.Points = append(f.Points, p)
	}
	var got []string
	for _, f := range figure.Pairs(set(f)) {
		got = append(got, f.Name)
	}
	want := []string{"pingpong-smem-device-8-B-pairs", "pingpong-smem-device-65535-B-pairs", "pingpong-smem-device-65537-B-pairs", "pingpong-smem-raw-65537-B-pairs"}
	if !slices.Equal(got, want) {
		t.Errorf("figures %q, want %q", got, want)
	}
}

// The speedup of a program refers to its own rate on one core.
func TestSpeedupIsOfTheSameProgram(t *testing.T) {
	f := figuretest.Hybrid()
	for _, p := range f.Points {
		p.Library = "Another MPI"
		v := p.Metrics.Get("mops")
		v.Median /= 10
		p.Metrics = record.ValuesOf(map[string]record.Value{"mops": v, "run_s": p.Metrics.Get("run_s")})
		f.Points = append(f.Points, p)
	}
	for _, l := range figure.Hybrid(set(f))[0].Rows[1][1].Layers {
		if c, ok := l.(figure.Curve); ok {
			for _, one := range c.Cells {
				if one.Median > one.X {
					t.Errorf("a speedup of %g on %g cores", one.Median, one.X)
				}
			}
		}
	}
}

// Weak scaling of two programs has the serial copies of both.
func TestSerialCopiesAreOfTheirProgram(t *testing.T) {
	f := figuretest.Kernels()
	f.Points = slices.DeleteFunc(f.Points, func(p record.Point) bool { return p.Baseline == "" })
	for _, p := range slices.Clone(f.Points) {
		copies := p
		copies.Baseline, copies.Copies, copies.Ranks, copies.Class = "", p.Ranks, 1, "W"
		copies.Metrics = record.ValuesOf(map[string]record.Value{"mops": p.Metrics.Get("mops")})
		f.Points = append(f.Points, copies)
	}
	keys := func() (names []string) {
		for _, k := range figure.Efficiency(set(f))[0].Keys {
			names = append(names, k.Name)
		}
		return names
	}
	// Every line has a name, also those of one program.
	if names, want := keys(), []string{"one problem", "serial copies", "as serial copies"}; !slices.Equal(names, want) {
		t.Errorf("lines %q, want %q", names, want)
	}
	for _, p := range slices.Clone(f.Points) {
		p.Library = "Another MPI"
		f.Points = append(f.Points, p)
	}
	names := keys()
	if want := []string{"Another MPI", "gobench", "Another MPI, serial copies", "gobench, serial copies", "as serial copies"}; !slices.Equal(names, want) {
		t.Errorf("lines %q, want %q", names, want)
	}
}

// Curves of a latency tail that are too many have a note, and the last mark is the slowest event.
func TestTailsSayWhatTheyShow(t *testing.T) {
	f := figuretest.PingPong(1)
	for _, p := range slices.Clone(f.Points) {
		for _, path := range strings.Split("abcdefghijklm", "") {
			p.Options = map[string]string{"copy": path}
			f.Points = append(f.Points, p)
		}
	}
	tails := figure.Tails(set(f))[0]
	if remarks := strings.Join(tails.Remarks, " "); len(tails.Keys) != 12 || !strings.Contains(remarks, "more series are not drawn") {
		t.Errorf("%d lines, notes %q", len(tails.Keys), remarks)
	}
	_, marks := tails.SVG()
	last := 0
	for _, m := range marks {
		if strings.Contains(m.Text, ", the slowest of 4000 events: ") {
			last++
		}
	}
	if last != 3*len(tails.Keys) { // three sizes
		t.Errorf("%d marks of slowest events on %d lines", last, len(tails.Keys))
	}
}

// Figures of one kind have different names, because these become file names.
func TestNamesOfOneKindDiffer(t *testing.T) {
	f := figuretest.Pairs()
	for _, p := range slices.Clone(f.Points) {
		p.Transport = "smem?" // which is smem in a file name
		f.Points = append(f.Points, p)
	}
	figures, err := figure.Named(set(f), "pairs")
	if err != nil || len(figures) != 2 || figures[0].Name == figures[1].Name {
		t.Errorf("%v, %d figures", err, len(figures))
	}
}

// Histograms of all launches are merged, so that rarer events are seen than in one launch; those
// that cannot be read are as if they were absent.
func TestTailsOfHistograms(t *testing.T) {
	draw := func(histogram func(i int) string) (caption string, rarest float64) {
		f := figuretest.PingPong(8)
		f.Points = slices.DeleteFunc(f.Points, func(p record.Point) bool { return p.Size != 8 || p.Transport != "smem" })
		for i := range f.Points {
			f.Points[i].Histogram = histogram(i)
		}
		one := figure.Tails(set(f))[0]
		for _, l := range one.Rows[0][0].Layers {
			if c, ok := l.(figure.Curve); ok {
				rarest = c.Cells[len(c.Cells)-2].X
			}
		}
		return one.Caption, rarest
	}
	r := stats.NewRecorder(4000)
	for i := range 4000 {
		r.Add(0, int64(100+i/40))
	}
	whole := r.Histogram(1).String()
	for name, c := range map[string]struct {
		histogram func(i int) string
		says      string
		rarest    float64
	}{
		"all":     {func(int) string { return whole }, "of the events of all launches together, from", 10000},
		"none":    {func(int) string { return "" }, "of each launch, because", 1000},
		"damaged": {func(i int) string { return whole[:len(whole)-i/7] + "!"[:i/7] }, "of each launch, because", 1000},
	} {
		if caption, rarest := draw(c.histogram); !strings.Contains(caption, c.says) || rarest != c.rarest {
			t.Errorf("%s: one event in %g is slower, caption %s", name, rarest, caption)
		}
	}
}
