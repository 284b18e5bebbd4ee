package compare

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"gobench/record"
)

// imported converts a source to one imported from a log: fields that no log states are absent, and
// values are means.
func imported(s Source) Source {
	for i := range s.File.Points {
		p := &s.File.Points[i]
		p.Library, p.Cache, p.Batched = "Open MPI", "", 1000
		v := p.Metrics.Get("half_rtt_s")
		p.Metrics = record.ValuesOf(map[string]record.Value{"half_rtt_s": {Median: v.Median, N: 1}})
	}
	for i := range s.File.Runs {
		s.File.Runs[i].Hosts, s.File.Runs[i].Program = nil, nil
	}
	return s
}

// A log that does not state the window meets own results of any window, one that does those of its
// window.
func TestAWindowThatALogOmits(t *testing.T) {
	for logged, rows := range map[int]int{0: 3, 64: 3, 8: 0} {
		logs := imported(campaign{name: "mpi", launches: 1, sizes: 3, slow: always(2)}.source(1))
		own := campaign{name: "own", launches: 6, sizes: 3, sigma: 0.002}.source(2)
		for _, s := range []struct {
			Source
			window int
		}{{logs, logged}, {own, 64}} {
			for i := range s.File.Points {
				p := &s.File.Points[i]
				p.Bench, p.Window = "uniband", s.window
				p.Metrics = record.ValuesOf(map[string]record.Value{"bandwidth_Bps": {Median: float64(p.Size) / p.Metrics.Median("half_rtt_s"), N: 1}})
			}
		}
		r := mustCompare(t, Options{By: "library", Base: "gobench"}, logs, own)
		named := strings.Contains(strings.Join(r.Warnings, "\n"), "do not contain window")
		if len(r.Rows) != rows || named != (logged == 0) {
			t.Errorf("window %d: %d rows, %s", logged, len(r.Rows), r.Warnings)
		}
	}
}

// Factors that a log does not state match any value, and are named.
func TestImportedResultsMeetOwn(t *testing.T) {
	logs := imported(campaign{name: "mpi", launches: 1, sizes: 3, slow: always(2)}.source(1))
	own := campaign{name: "own", launches: 6, sizes: 3, sigma: 0.002}.source(2)
	for i := range own.File.Points {
		p := &own.File.Points[i]
		p.Memory, p.Options = "heap", map[string]string{"nodelay": []string{"on", "off"}[i%2]}
	}
	for _, order := range [][]Source{{logs, own}, {own, logs}} {
		r := mustCompare(t, Options{By: "library", Base: "gobench"}, order...)
		if len(r.Sides) != 2 || r.Sides[0].Name != "gobench" || r.Sides[1].Name != "Open MPI" || len(r.Missing) != 0 {
			t.Fatalf("%+v, missing %+v", r.Sides, r.Missing)
		}
		for _, row := range r.Rows {
			if row.MeanA || !row.MeanB || math.Abs(row.Ratio.Median-2) > 0.02 || row.NB != 1 || row.Verdict != Unclear {
				t.Errorf("%+v", row)
			}
		}
		if n := len(r.Rows); n < 3 {
			t.Errorf("%d rows", n)
		}
		all := strings.Join(r.Warnings, "\n")
		for _, want := range []string{"the logs of Open MPI do not contain cache, memory, options: their results are compared with any value", "the values of Open MPI are means, those of gobench medians"} {
			if strings.Count(all, want) != 1 {
				t.Errorf("no %q in %s", want, all)
			}
		}
		for _, not := range []string{"batched", "options differs", "cache differs"} {
			if strings.Contains(all, not) {
				t.Errorf("%q in %s", not, all)
			}
		}
	}
}

// The value of a side of means equals that of a table of its results: launches without a time have
// no order, so that they do not drift, and no interval is narrower than the clock's resolution.
func TestIntervalsOfMeans(t *testing.T) {
	side := func(name string, change func(p *record.Point, v *record.Value)) Source {
		s := campaign{name: name, launches: 8, sizes: 1}.source(1)
		for i := range s.File.Points {
			p := &s.File.Points[i]
			v := record.Value{Median: 1e-6 + float64(i)*1e-8, N: 100} // they ascend
			change(p, &v)
			p.Metrics = record.ValuesOf(map[string]record.Value{"half_rtt_s": v})
		}
		return s
	}
	means := func(p *record.Point, v *record.Value) { v.Statistic = record.Mean }
	logs := side("logs", func(p *record.Point, v *record.Value) { means(p, v); p.Time = time.Time{} })
	constant := side("constant", func(p *record.Point, v *record.Value) { means(p, v); v.Median, p.Floor = 1e-6, 5e-9 })
	both := side("both", func(p *record.Point, v *record.Value) { v.Mean, p.Time = 2*v.Median, time.Time{} })
	for _, c := range []struct {
		a, b   Source
		median float64
	}{{logs, constant, 1.035e-6}, {constant, logs, 1e-6}, {both, logs, 2.07e-6}} {
		a := mustCompare(t, Options{}, c.a, c.b).Rows[0].A
		if math.Abs(a.Median/c.median-1) > 1e-9 || a.Lo == 0 || a.Hi-a.Lo < 9.9e-9 {
			t.Errorf("%s with %s: %+v, want an interval around %g", c.a.Name, c.b.Name, a, c.median)
		}
	}
}

// An empty comparison names the factors in which the most similar cells differ.
func TestNothingInCommonIsExplained(t *testing.T) {
	a, b := campaign{name: "a", launches: 2, sizes: 3}.source(1), campaign{name: "b", launches: 2, sizes: 2}.source(2)
	for i := range b.File.Points {
		b.File.Points[i].Level = "comm"
	}
	r := mustCompare(t, Options{}, a, b)
	if want := "no cell is on both sides: the nearest (pingpong 8 B) differ in level (device in a, comm in b); gobench compare a b by=level compares 2 cells"; r.Nothing() != want || len(r.Warnings) != 0 || !slices.Equal(r.Explained(), []string{want}) {
		t.Errorf("%q, warnings %q", r.Nothing(), r.Explained())
	}
	// Factors that no log states do not separate cells.
	for i := range b.File.Points {
		b.File.Points[i].Library = "MPI"
	}
	for i := range a.File.Points {
		a.File.Points[i].Memory = "heap"
	}
	if r := mustCompare(t, Options{By: "library"}, a, b); r.Nothing() != "no cell is on both sides: the nearest (pingpong 8 B) differ in level (device in gobench, comm in MPI); gobench compare a b by=level compares 2 cells" {
		t.Error(r.Nothing())
	}
	if r := mustCompare(t, Options{By: "commit"}, a); r.Nothing() != "all results have program.commit (none): there is no other value to compare it with" {
		t.Error(r.Nothing())
	}
	if r := mustCompare(t, Options{}, a, Source{"again", a.File}); r.Nothing() != "" {
		t.Error(r.Nothing())
	}
}

// Labels and tags are compared, and the last part of a path names a side.
func TestLabelsTagsAndShortNames(t *testing.T) {
	a, b := campaign{name: "a", launches: 4, sizes: 1, sigma: 0.002}.source(1), campaign{name: "b", launches: 4, sizes: 1, sigma: 0.002}.source(2)
	for i := range a.File.Runs {
		a.File.Runs[i].Label, a.File.Runs[i].Tags = "before", map[string]string{"x": "1"}
		b.File.Runs[i].Label, b.File.Runs[i].Tags = "after", map[string]string{"x": "2"}
		a.File.Launches = append(a.File.Launches, record.Launch{Run: a.File.Runs[i].ID, Program: "/opt/old/gb-slow0"})
		b.File.Launches = append(b.File.Launches, record.Launch{Run: b.File.Runs[i].ID, Program: "/opt/new/gb-slow1"})
	}
	for by, base := range map[string]string{"label": "after", "tag.x": "2", "program": "gb-slow1"} {
		r := mustCompare(t, Options{By: by, Base: base}, a, b)
		if len(r.Rows) != 1 || !strings.HasSuffix(r.Sides[0].Name, base) {
			t.Errorf("by %s: %+v", by, r.Sides)
		}
	}
	// A launch with a run for each number of ranks names the first run and their series.
	for _, s := range []Source{a, b} {
		for i := range s.File.Runs {
			s.File.Runs[i].Series = s.File.Runs[i/2*2].ID
			s.File.Launches[i].Series, s.File.Launches[i].Run = s.File.Runs[i].Series, s.File.Runs[i].Series
		}
	}
	if r := mustCompare(t, Options{By: "program", Base: "gb-slow1"}, a, b); len(r.Sides) != 2 || len(r.Rows) != 1 || r.Rows[0].NA != 4 || r.Rows[0].NB != 4 {
		t.Errorf("by program, with series: %+v", r.Sides)
	}
	for i := range b.File.Launches {
		b.File.Launches[i].Program = "/opt/new/gb-slow0"
	}
	if _, err := Compare([]Source{a, b}, Options{By: "program", Base: "gb-slow0"}); err == nil || !strings.Contains(err.Error(), `"/opt/old/gb-slow0" or "/opt/new/gb-slow0"`) {
		t.Errorf("error %v", err)
	}
}
