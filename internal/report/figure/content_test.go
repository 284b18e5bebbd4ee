package figure_test

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"gobench/compare"
	"gobench/internal/report/figure"
	"gobench/internal/report/figure/figuretest"
	"gobench/internal/report/style"
	"gobench/record"
)

// All intervals are drawn before all lines, so that no band hides a line of another series.
func TestBandsLieBelowLines(t *testing.T) {
	each(t, func(t *testing.T, f *figure.Figure) {
		for _, row := range f.Rows {
			for _, p := range row {
				if p == nil {
					continue
				}
				line := false
				for _, l := range p.Layers {
					switch l.(type) {
					case figure.Curve:
						line = true
					case figure.Band, figure.Whiskers:
						if line {
							t.Error("a band lies on a line")
						}
					}
				}
			}
		}
	})
}

// Few launches have a range, which is drawn as whiskers, and many series too.
func TestWhiskers(t *testing.T) {
	for launches, want := range map[int]string{1: "Bands: CI within this launch", 3: "Whiskers: range", 8: "Bands: 95 % CI."} {
		f := figure.PointToPoint(set(figuretest.PingPong(launches)))[0]
		if !strings.Contains(f.Caption, want) {
			t.Errorf("%d launches: %s", launches, f.Caption)
		}
		whiskers := slices.ContainsFunc(f.Rows[0][0].Layers, func(l figure.Layer) bool { _, is := l.(figure.Whiskers); return is })
		if whiskers != strings.Contains(want, "Whiskers") {
			t.Errorf("%d launches: whiskers are drawn: %v", launches, whiskers)
		}
	}
	some := figuretest.PingPong(8)
	// the second launch is of one transport
	some.Points = append(some.Points[:len(some.Points)-48*7], some.Points[len(some.Points)-48*7:len(some.Points)-48*7+24]...)
	if f := figure.PointToPoint(set(some))[0]; !strings.Contains(f.Caption, "median over 1 to 2 launches") || !strings.Contains(f.Caption, "range (2 to 5), CI within the launch (1)") {
		t.Error(f.Caption)
	}
}

// Names with characters that the font lacks have a remark.
func TestRemarkOnCharacters(t *testing.T) {
	for name, want := range map[string]bool{"ünï": false, "漢字": true} {
		f := figuretest.PingPong(2)
		for i := range f.Points {
			if f.Points[i].Transport == "tcp" {
				f.Points[i].Transport = name
			}
		}
		if remarks := strings.Join(figure.PointToPoint(set(f))[0].Remarks, "\n"); strings.Contains(remarks, "drawn as ?, as in "+name) != want {
			t.Errorf("%s: %s", name, remarks)
		}
	}
}

// The method does not state the interval within a launch as that of several launches.
func TestMethodOmitsIntervalsWithinLaunches(t *testing.T) {
	for launches, want := range map[int]bool{1: true, 3: false} {
		f := figuretest.PingPong(launches)
		for i := range f.Points {
			f.Points[i].Method += "; nonparametric interval, of this one launch"
		}
		if got := strings.Contains(figure.PointToPoint(set(f))[0].Method, "of this one launch"); got != want {
			t.Errorf("%d launches: %v", launches, got)
		}
	}
}

var exponent = regexp.MustCompile(`[0-9]e[+-]?[0-9]`)

// Numbers have no exponent such as 1.7e+02, and kernels have no size of 0 B.
func TestNumbersAreWrittenPlainly(t *testing.T) {
	each(t, func(t *testing.T, f *figure.Figure) {
		svg, marks := f.SVG()
		texts := append([]string{f.Title, f.Caption, f.Method}, f.Remarks...)
		for _, m := range regexp.MustCompile(`<text [^>]*>([^<]*)<`).FindAllStringSubmatch(svg, -1) {
			texts = append(texts, m[1])
		}
		for _, m := range marks {
			texts = append(texts, m.Text)
		}
		for _, s := range texts {
			if exponent.MatchString(s) {
				t.Errorf("a number with an exponent: %s", s)
			}
			if strings.Contains(s, "Gbit/s") {
				t.Errorf("another unit than GB/s: %s", s)
			}
			if strings.Contains(strings.ToLower(t.Name()), "kernels") && strings.Contains(s, "0 B") {
				t.Errorf("a size of a kernel: %s", s)
			}
		}
	})
	f := figuretest.PingPong(2)
	for i := range f.Points {
		f.Points[i].Warnings = []string{fmt.Sprintf("the sample has two modes, %.2g times apart", 170+float64(i))}
	}
	if remarks := strings.Join(figure.PointToPoint(set(f))[0].Remarks, " "); !strings.Contains(remarks, "170 to 260 times apart") {
		t.Error(remarks)
	}
}

// Ping-pong comes first, and comparisons come last.
func TestOrderOfInterest(t *testing.T) {
	f := figuretest.PingPong(4)
	for _, p := range slices.Clone(f.Points) {
		for _, bench := range []string{"uniband", "biband", "msgrate", "another"} {
			p.Bench = bench
			f.Points = append([]record.Point{p}, f.Points...)
		}
	}
	s := set(f, figuretest.Collectives())
	var names []string
	for _, f := range figure.PointToPoint(s) {
		names = append(names, f.Name)
	}
	if got := strings.Join(names, " "); got != "pingpong msgrate uniband biband another" {
		t.Error(got)
	}
	all := figure.All(s)
	if all[0].Name != "pingpong" || !strings.Contains(all[len(all)-1].Name, "ratio") {
		t.Errorf("first %s, last %s", all[0].Name, all[len(all)-1].Name)
	}
}

func onCores(f *record.File, cores int) *record.File {
	for i := range f.Runs {
		f.Runs[i].Hosts = []any{map[string]any{"hostname": "n1", "cpu": map[string]any{"cores": cores}}}
	}
	return f
}

// Points with more ranks than cores are marked, and the caption explains the marks.
func TestMoreRanksThanCores(t *testing.T) {
	for cores, want := range map[int]bool{4: true, 16: false} {
		for _, f := range slices.Concat(figure.Kernels(set(onCores(figuretest.Kernels(), cores))), figure.Scaling(set(onCores(figuretest.Collectives(), cores)))) {
			if strings.HasSuffix(f.Name, "ranks") && cores == 16 {
				continue
			}
			marked := slices.ContainsFunc(f.Rows[0][0].Layers, func(l figure.Layer) bool { _, is := l.(figure.OversubscribedArea); return is })
			if said := strings.Contains(f.Caption, "more ranks than cores (such as"); marked != want || said != want {
				t.Errorf("%s on %d cores: marked %v, said %v", f.Name, cores, marked, said)
			}
			svg, _ := f.SVG()
			if grey := strings.Contains(svg, "#8c8c8c"); grey != want {
				t.Errorf("%s on %d cores: grey marks %v", f.Name, cores, grey)
			}
		}
	}
	c := figuretest.Collectives()
	for _, f := range figure.Collectives(set(onCores(c, 2))) {
		if !strings.Contains(f.Caption, "14 of 21 records with more ranks than cores (such as 4 on 2 cores)") {
			t.Error(f.Caption)
		}
	}
}

func TestCaptionsNamePreemptionAndImports(t *testing.T) {
	f := figuretest.PingPong(3)
	f.Runs[1].Noise = []record.Noise{{Duration: 0.02, Lost: 0.98}}
	f.Runs[2].Noise = []record.Noise{{Duration: 0.02, Lost: 0.04}}
	if c := figure.PointToPoint(set(f))[0].Caption; !strings.Contains(c, "before 1 of 3 runs a core lost up to 98 % of its time") {
		t.Error(c)
	}
	imported := figuretest.PingPong(1)
	imported.Runs[0].Command = []string{"gobench", "import", "netpipe.log"}
	imported.Runs[0].Warnings = []string{"imported from a log of NetPIPE", "times are the best of several trials, as NetPIPE reports them"}
	for i := range imported.Points {
		p := &imported.Points[i]
		p.Run, p.Library, p.Level = "np", "NetPIPE", "raw"
		for key, v := range p.Metrics.All() {
			p.Metrics.Set(key, record.Value{Median: v.Median, N: 1})
		}
	}
	imported.Runs[0].ID = "np"
	imported.Points = slices.DeleteFunc(imported.Points, func(p record.Point) bool { return p.Transport == "smem" })
	own := figuretest.PingPong(1)
	own.Points = slices.DeleteFunc(own.Points, func(p record.Point) bool { return p.Transport == "tcp" })
	c := figure.PointToPoint(set(own, imported))[0].Caption
	for _, want := range []string{"NetPIPE: tcp, level raw", "gobench: smem, level device", "NetPIPE: times are the best of several trials", "without one: too few values"} {
		if !strings.Contains(c, want) {
			t.Errorf("%q is not in %s", want, c)
		}
	}
}

// A comparison is divided between levels and not between sizes, and its parts have one scale.
func TestRatiosAreDividedBetweenLevels(t *testing.T) {
	files := []*record.File{figuretest.PingPong(4), figuretest.Other(figuretest.PingPong(4))}
	for _, f := range files {
		for _, p := range slices.Clone(f.Points) {
			p.Level = "raw"
			f.Points = append(f.Points, p)
		}
	}
	figures := figure.Ratios(set(files...))
	if len(figures) != 4 {
		t.Fatalf("%d figures", len(figures))
	}
	titles := map[string]bool{}
	for _, f := range figures {
		p := f.Rows[0][0]
		if n := strings.Count(strings.Join(names(p), "\n"), "0 B"); n != 1 || len(names(p)) != 24 {
			t.Errorf("%s: rows %q", f.Name, names(p))
		}
		if first := figures[0].Rows[0][0]; p.X.Min != first.X.Min || p.X.Max != first.X.Max {
			t.Errorf("%s: from %g to %g", f.Name, p.X.Min, p.X.Max)
		}
		if titles[f.Title] {
			t.Errorf("two figures %q", f.Title)
		}
		titles[f.Title] = true
		for _, l := range p.Layers {
			if r, is := l.(figure.Ratio); is && (r.At <= p.X.Min*1.001 || r.At >= p.X.Max/1.001) {
				t.Errorf("%s: a mark on the border: %g", f.Name, r.At)
			}
		}
	}
}

func names(p *figure.Panel) []string {
	var words []string
	for _, tick := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		words = append(words, tick.Label)
	}
	return words
}

// The caption counts rows with too few launches for a test.
func TestCaptionsCountRowsWithTooFewLaunches(t *testing.T) {
	for launches, want := range map[int]bool{3: true, 8: false} {
		f := figure.Ratios(set(figuretest.PingPong(launches)))[0]
		if got := strings.Contains(f.Caption, "Too few launches for a test, however large the difference (up to a factor of 60"); got != want {
			t.Errorf("%d launches: %s", launches, f.Caption)
		}
	}
	if figure.Verdict(compare.Unclear) != "inconclusive" || figure.Verdict(compare.Slower) != "slower" {
		t.Error("verdicts have other names")
	}
}

// The figure of kernels on one core names the kernels that it leaves out, with the reason.
func TestOneCoreNamesWhatIsLeftOut(t *testing.T) {
	f := figuretest.Kernels()
	native := f.Points[slices.IndexFunc(f.Points, func(p record.Point) bool { return p.Library != "" })]
	short := native
	short.Bench, short.Run = "mg", "imported"
	short.Metrics = record.ValuesOf(map[string]record.Value{"run_s": {Median: 0.02, N: 1}, "mops": {Median: 100, N: 1}})
	own := native
	own.Bench, own.Library = "ep", ""
	f.Points = append(f.Points, short, own)
	f.Runs = append(f.Runs, record.Run{ID: "imported", Command: []string{"gobench", "import", "npb.log"}})
	one := figure.OneCore(set(f))[0]
	for _, want := range []string{"MG of Open MPI 4.1.4 ran for 0.02 s, of which the log prints two decimals", "EP has no rate of Open MPI"} {
		if !strings.Contains(one.Caption, want) {
			t.Errorf("%q is not in %s", want, one.Caption)
		}
	}
	ticks := one.Rows[0][0].X.Tick.Marker.Ticks(0, 9)
	if len(ticks) != 1 || ticks[0].Label != "CG" {
		t.Errorf("columns %v", ticks)
	}
}

// Series of a latency tail have the same sizes, and the caption names the launch.
func TestTails(t *testing.T) {
	f := figuretest.PingPong(3)
	f.Points = slices.DeleteFunc(f.Points, func(p record.Point) bool { return p.Transport == "tcp" && p.Size == 0 })
	tails := figure.Tails(set(f))[0]
	if !strings.Contains(tails.Caption, "median over 3 launches. ") {
		t.Error(tails.Caption)
	}
	for _, p := range slices.Concat(tails.Rows...) {
		if p != nil && len(p.Layers) != 5 { // a grid, and whiskers and a curve of each transport
			t.Errorf("%s: %d layers", p.Heading, len(p.Layers))
		}
	}
	for _, f := range figure.Tails(set(figuretest.Kernels())) {
		if heading := f.Rows[0][0].Heading; !strings.Contains(heading, "rank") {
			t.Errorf("%s: a panel of %q", f.Name, heading)
		}
	}
}

// Titles name the transports and the numbers of ranks.
func TestTitlesNameTheSurroundings(t *testing.T) {
	for name, f := range map[string]*figure.Figure{
		"Ping-pong: smem and tcp, 2 ranks":                                  figure.PointToPoint(drawn["pingpong"])[0],
		"Bcast: smem, 2, 4 and 8 ranks":                                     figure.Collectives(drawn["collectives"])[0],
		"Rate and speedup, class A, smem and tcp, 1, 2, 4, 8 and 16 ranks":  figure.Kernels(drawn["kernels"])[0],
		"FDTD: run time and speedup, smem and tcp, 1, 2, 4, 8 and 16 ranks": figure.Kernels(drawn["kernels"])[1],
		"CG: time breakdown, smem and tcp, 1, 2, 4, 8 and 16 ranks":         figure.Phases(drawn["kernels"])[0],
		"Bcast against the number of ranks: smem":                           figure.Scaling(drawn["collectives"])[0],
	} {
		if f.Title != name {
			t.Errorf("%s, want %s", f.Title, name)
		}
	}
}

// A transparent colour is not darker in a PDF.
func TestColoursOfPDF(t *testing.T) {
	var b bytes.Buffer
	pdf := figure.NewPDF(100, 100)
	veil := style.Transparent(style.Of(0).Color, 0.25)
	pdf.SetColor(veil)
	pdf.Fill(vg.Rectangle{Max: vg.Point{X: 50, Y: 50}}.Path())
	if _, err := pdf.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("%.3f %.3f %.3f rg", float64(veil.R)/255, float64(veil.G)/255, float64(veil.B)/255)
	if text := inflated(t, b.Bytes()); !strings.Contains(text, want) {
		t.Errorf("%q is not in\n%s", want, text)
	}
}

// inflated is the first stream of a PDF.
func inflated(t *testing.T, pdf []byte) string {
	t.Helper()
	var all strings.Builder
	for _, part := range bytes.Split(pdf, []byte("stream\n"))[1:] {
		r, err := zlib.NewReader(bytes.NewReader(part))
		if err != nil {
			all.Write(part)
			continue
		}
		text, _ := io.ReadAll(r)
		all.Write(text)
	}
	return all.String()
}

// A single size is in the middle of its axis, not on the border.
func TestSingleSize(t *testing.T) {
	f := figuretest.PingPong(2)
	f.Points = slices.DeleteFunc(f.Points, func(p record.Point) bool { return p.Size != 1<<16 })
	for _, row := range figure.PointToPoint(set(f))[0].Rows {
		if x := row[0].X; x.Min != 1<<15 || x.Max != 1<<17 {
			t.Errorf("the axis of one size of 64 KiB is from %v to %v", x.Min, x.Max)
		}
	}
}

// The area of more ranks than cores begins between the last mark outside of it and the first in it.
func TestAreaBeginsBetweenMarks(t *testing.T) {
	for _, f := range figure.Kernels(set(onCores(figuretest.Kernels(), 4))) {
		for _, l := range f.Rows[0][0].Layers {
			if area, is := l.(figure.OversubscribedArea); is && (area.From <= 4 || area.From >= 8) {
				t.Errorf("%s: the area begins at %v ranks, want between 4 and 8", f.Name, area.From)
			}
		}
	}
}

// The caption names what each panel draws: bands, or whiskers where a cell has too few launches.
func TestCaptionNamesBandsAndWhiskers(t *testing.T) {
	launched := func(few string) *record.File {
		one := figuretest.Kernels()
		f := &record.File{}
		for launch := range 7 {
			run := one.Runs[0]
			run.ID = fmt.Sprint("k", launch)
			f.Runs = append(f.Runs, run)
			for _, p := range one.Points {
				if p.Bench == few && launch > 2 {
					continue
				}
				p.Run = run.ID
				f.Points = append(f.Points, p)
			}
		}
		return f
	}
	for bench, want := range map[string]string{"": " Bands: 95", "cg": " Bands or whiskers: 95"} {
		for _, f := range figure.Kernels(set(launched(bench))) {
			if len(f.Rows) > 1 && !strings.Contains(f.Caption, want) {
				t.Errorf("%s, few launches of %q: no %q in %s", f.Name, bench, want, f.Caption)
			}
		}
	}
}

// The caption of ratios names the confidence of its intervals.
func TestRatiosNameTheirConfidence(t *testing.T) {
	s := set(figuretest.PingPong(8))
	if err := s.Choose(compare.Options{By: "transport", Alpha: 0.01}); err != nil {
		t.Fatal(err)
	}
	if caption := figure.Ratios(s)[0].Caption; !strings.Contains(caption, "line: its 99 % CI.") {
		t.Error(caption)
	}
}

// PDFs of one figure are equal if the environment sets their date.
func TestPDFsCanBeRepeated(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	write := func() []byte {
		var b bytes.Buffer
		if err := figure.PointToPoint(set(figuretest.PingPong(3)))[0].Write(&b, "pdf"); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	first := write()
	for range 3 {
		if !bytes.Equal(write(), first) {
			t.Fatal("two PDFs of one figure differ")
		}
	}
	if !bytes.Contains(first, []byte("D:20231114221320")) {
		t.Error("the PDF does not have the date of SOURCE_DATE_EPOCH")
	}
}
