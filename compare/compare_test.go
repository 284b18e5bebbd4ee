package compare

import (
	"math"
	"strings"
	"testing"
	"time"

	"gobench/record"
)

func mustCompare(t *testing.T, o Options, sources ...Source) *Result {
	t.Helper()
	r, err := Compare(sources, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestVerdicts(t *testing.T) {
	base := campaign{name: "a", launches: 8, sizes: 1, sigma: 0.003}
	for _, c := range []struct {
		name   string
		slow   float64
		metric string
		want   Verdict
	}{
		{"as before", 1, "", Same},
		{"slower", 1.1, "", Slower},
		{"faster", 0.9, "", Faster},
		{"a rate that falls", 1.1, "message_rate", Slower},
		{"a rate that rises", 0.9, "message_rate", Faster},
	} {
		other := base
		other.name, other.slow = "b", always(c.slow)
		a, b := base.source(1), other.source(2)
		for _, s := range []Source{a, b} {
			for i := range s.File.Points {
				v := s.File.Points[i].Metrics.Get("half_rtt_s")
				s.File.Points[i].Metrics.Set("message_rate_per_s", record.Value{Median: 1 / v.Median, Lo: 1 / v.Hi, Hi: 1 / v.Lo, Confidence: 0.95, N: v.N})
			}
		}
		r := mustCompare(t, Options{Metric: c.metric}, a, b)
		if len(r.Rows) != 1 || r.Rows[0].Verdict != c.want {
			t.Errorf("%s: %+v", c.name, r.Rows)
			continue
		}
		row := r.Rows[0]
		ratio := c.slow
		if c.metric != "" {
			ratio = 1 / c.slow
		}
		if row.Level != Launches || row.NA != 8 || row.NB != 8 || math.Abs(row.Ratio.Median/ratio-1) > 0.01 ||
			!(row.Ratio.Lo <= row.Ratio.Median && row.Ratio.Median <= row.Ratio.Hi) || row.Confidence < 0.95 {
			t.Errorf("%s: %+v", c.name, row)
		}
	}
}

// Launches whose logs state no time have no order: their correlation is not estimated, which
// the result states.
func TestLaunchesWithoutATime(t *testing.T) {
	a, b := campaign{name: "a", launches: 8, sizes: 1, sigma: 0.003}.source(1), campaign{name: "b", launches: 8, sizes: 1, sigma: 0.003}.source(2)
	for _, s := range []Source{a, b} {
		for i := range s.File.Points {
			s.File.Points[i].Library, s.File.Points[i].Time = "Open MPI", time.Time{}
		}
	}
	r := mustCompare(t, Options{}, a, b)
	if len(r.Rows) != 1 || r.Correlation != 0 || !strings.Contains(r.times, "do not state when they were measured") {
		t.Errorf("correlation %v, %q", r.Correlation, r.times)
	}
}

// One launch does not predict the next, however many iterations it has.
func TestOneLaunchHasNoVerdict(t *testing.T) {
	many := campaign{name: "c", launches: 12, sizes: 2, sigma: 0.002}.source(3)
	one := campaign{name: "a", launches: 1, sizes: 2}.source(1)
	two := campaign{name: "b", launches: 1, sizes: 2, slow: always(1.2)}.source(2)
	floor := NewFloor(campaign{name: "f", launches: 32, sizes: 2, sigma: 0.002}.source(4).File)
	for _, a := range []Source{one, many} {
		for _, o := range []Options{{}, {Gate: true}, {Gate: true, Floor: floor}} {
			r := mustCompare(t, o, a, two)
			for _, row := range r.Rows {
				if row.Level != Single || row.Verdict != Unclear || row.Why != "one launch" || math.Abs(row.Ratio.Median-1.2) > 0.02 || row.Confidence != 0 || !math.IsInf(row.Detectable, 1) {
					t.Errorf("%+v", row)
				}
			}
			if o.Gate && r.Gate.Conclusion != Noisy {
				t.Errorf("%+v", r.Gate)
			}
		}
	}
}

func TestAnyFactorCanBeCompared(t *testing.T) {
	s := campaign{name: "all", launches: 6, sizes: 2, sigma: 0.002}.source(1)
	for _, p := range s.File.Points {
		p.Transport = "smem"
		v := p.Metrics.Get("half_rtt_s")
		p.Metrics = record.ValuesOf(map[string]record.Value{"half_rtt_s": {Median: v.Median / 10, N: v.N}})
		s.File.Points = append(s.File.Points, p)
	}
	r := mustCompare(t, Options{By: "transport", Base: "tcp"}, s)
	if len(r.Rows) != 2 || len(r.Sides) != 2 || r.Sides[0].Name != "tcp" {
		t.Fatalf("%+v", r)
	}
	for _, row := range r.Rows {
		if row.Base != "tcp" || row.Side != "smem" || row.Verdict != Faster || math.Abs(row.Ratio.Median-0.1) > 0.001 || row.Cell.Factor("transport") != "" {
			t.Errorf("%+v", row)
		}
	}
	other := campaign{name: "b", launches: 6, sizes: 2, sigma: 0.002, slow: always(2), host: "n2", commit: "abc"}.source(3)
	for by, base := range map[string]string{"host": "n1", "commit": "abc", "host.kernel": "6.1", "program.commit": "abc"} {
		r := mustCompare(t, Options{By: by, Base: base}, s, other)
		if want := map[bool]int{true: 2, false: 1}[by != "host.kernel"]; len(r.Sides) != want || r.Sides[0].Name != base {
			t.Errorf("by %s: %+v", by, r.Sides)
		}
	}
	if _, err := Compare([]Source{s}, Options{By: "transprt"}); err == nil || !strings.Contains(err.Error(), `did you mean "transport"`) {
		t.Errorf("error %v", err)
	}
	if _, err := Compare([]Source{s}, Options{By: "transport", Base: "ibv"}); err == nil || !strings.Contains(err.Error(), `no result has transport "ibv"`) {
		t.Errorf("error %v", err)
	}
}

// Chosen factors separate cells if they are compared; otherwise differences give a warning.
func TestChosenFactors(t *testing.T) {
	with := func(name, algorithm string, seed uint64) Source {
		s := campaign{name: name, launches: 6, sizes: 1, sigma: 0.002}.source(seed)
		for i := range s.File.Points {
			s.File.Points[i].Algorithm = algorithm
		}
		return s
	}
	r := mustCompare(t, Options{}, with("a", "ring", 1), with("b", "bde", 2))
	if len(r.Rows) != 1 || !strings.Contains(strings.Join(r.Warnings, "\n"), "algorithm differs in 1 of 1 cell") {
		t.Errorf("%d rows, warnings %q", len(r.Rows), r.Warnings)
	}
	both := with("a", "ring", 1)
	both.File.Points = append(both.File.Points, with("a", "bde", 1).File.Points...)
	r = mustCompare(t, Options{}, both, with("b", "bde", 2))
	if len(r.Rows) != 1 || r.Rows[0].Cell.Factor("algorithm") != "bde" || len(r.Missing) != 1 {
		t.Errorf("%+v, missing %+v", r.Rows, r.Missing)
	}
}

func TestHiddenFactorsAreWarnedOf(t *testing.T) {
	a := campaign{name: "a", launches: 5, sizes: 3, sigma: 0.002, commit: "one"}.source(1)
	b := campaign{name: "b", launches: 5, sizes: 4, sigma: 0.002, commit: "two", host: "n2"}.source(2)
	b.File.Points[0].Path = "rndv"
	all := strings.Join(mustCompare(t, Options{}, a, b).Warnings, "\n")
	for _, want := range []string{
		"a and b also differ in host.hostname (n1, n2), program.commit (one, two)",
		"path differs in 1 of 3 cells (pingpong tcp device 8 B 2 ranks: none in a, rndv in b)",
		"a lacks 1 cell of the others: pingpong tcp device 64 B 2 ranks",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no warning %q in %s", want, all)
		}
	}
	// Sides that differ from the base in the same way have one warning.
	more := []Source{a, b}
	for i, name := range []string{"c", "d"} {
		more = append(more, campaign{name: name, launches: 5, sizes: 2, sigma: 0.002, commit: "two", host: "n2"}.source(uint64(3+i)))
	}
	several := strings.Join(mustCompare(t, Options{}, more...).Warnings, "\n")
	for _, want := range []string{
		"a and each of b, c, d also differ in host.hostname (n1, n2), program.commit (one, two)",
		"not every side has every cell: a lacks 1, c lacks 1, d lacks 1",
	} {
		if !strings.Contains(several, want) {
			t.Errorf("no warning %q in %s", want, several)
		}
	}
	if strings.Contains(all, "load") {
		t.Errorf("the load differs in each run and must not be reported: %s", all)
	}
}

// A side with several machines is separated by machine.
func TestMixedMachines(t *testing.T) {
	a := campaign{name: "a", launches: 5, sizes: 1, sigma: 0.002}.source(1)
	slow := campaign{name: "a2", launches: 5, sizes: 1, sigma: 0.002, host: "n2", slow: always(3)}.source(2)
	a.File.Runs = append(a.File.Runs, slow.File.Runs...)
	a.File.Points = append(a.File.Points, slow.File.Points...)
	b := campaign{name: "b", launches: 5, sizes: 1, sigma: 0.002}.source(3)
	r := mustCompare(t, Options{}, a, b)
	if len(r.Rows) != 1 || r.Rows[0].NA != 5 || r.Rows[0].Verdict != Same || len(r.Missing) != 1 {
		t.Errorf("%+v, missing %+v", r.Rows, r.Missing)
	}
	if all := strings.Join(r.Warnings, "\n"); !strings.Contains(all, "a contains results of several machines (n[1-2])") {
		t.Error(all)
	}
}

// Results of near cores are not compared with those of far cores.
func TestOnlyOneStateIsCompared(t *testing.T) {
	at := func(s Source, launches int, distance float64) Source {
		for i := range s.File.Points {
			if p := &s.File.Points[i]; p.Launch <= launches {
				p.DistanceBefore, p.DistanceAfter = distance, distance
			}
		}
		return s
	}
	make := func(name string, seed uint64) Source {
		return at(campaign{name: name, launches: 8, sizes: 1, sigma: 0.002}.source(seed), 8, 30e-9)
	}
	a, b := make("a", 1), at(make("b", 2), 3, 170e-9)
	for i := range 3 {
		b.File.Points[i].Metrics.Set("half_rtt_s", record.Value{Median: 9e-6, N: 1})
	}
	r := mustCompare(t, Options{}, a, b)
	if row := r.Rows[0]; row.NA != 8 || row.NB != 5 || row.Verdict != Same || len(row.Remarks) != 1 || row.Remarks[0] != "3 of 8 launches of b not counted: the cores were not near" {
		t.Errorf("%+v", row)
	}
	r = mustCompare(t, Options{}, a, at(make("b", 2), 8, 170e-9))
	if row := r.Rows[0]; row.Verdict != Unclear || row.Why != "the cores were near in a and far in b" {
		t.Errorf("%+v", row)
	}
}

func TestSingleSampleAndFewLaunches(t *testing.T) {
	a := campaign{name: "a", launches: 1, sizes: 1}.source(1)
	b := campaign{name: "b", launches: 1, sizes: 1, slow: always(2)}.source(2)
	b.File.Points[0].Metrics.Set("half_rtt_s", record.Value{Median: 2e-6, N: 1})
	if row := mustCompare(t, Options{}, a, b).Rows[0]; row.Verdict != Unclear || row.Why != "one launch" || row.Ratio.Median == 0 || row.Widening != 1 {
		t.Errorf("%+v", row)
	}
	three := campaign{name: "c", launches: 3, sizes: 1, slow: always(2)}.source(2)
	two := campaign{name: "a", launches: 2, sizes: 1}.source(1)
	if row := mustCompare(t, Options{}, two, three).Rows[0]; row.Verdict != Unclear || row.Why != "2 and 3 launches are too few: at least 4 each are needed" {
		t.Errorf("%+v", row)
	}
}

func TestNothingToCompare(t *testing.T) {
	a := campaign{name: "a", launches: 5, sizes: 2, sigma: 0.01}.source(1)
	r := mustCompare(t, Options{Gate: true}, a, Source{"b", &record.File{}})
	if r.Gate.Conclusion != Noisy || !strings.Contains(strings.Join(r.Explained(), "\n"), "b holds no results") {
		t.Errorf("%+v, %q", r.Gate, r.Explained())
	}
	r = mustCompare(t, Options{By: "transport"}, a)
	if len(r.Rows) != 0 || !strings.Contains(strings.Join(r.Explained(), "\n"), "all results have transport tcp") {
		t.Errorf("%q", r.Explained())
	}
}

// A setting that only one side has is a difference; if a side has no settings of that kind, there
// is none.
func TestFactsOfOneSideAlone(t *testing.T) {
	a, b := campaign{name: "a", launches: 2, sizes: 1}.source(1), campaign{name: "b", launches: 2, sizes: 1}.source(2)
	for i := range b.File.Runs {
		b.File.Runs[i].Program = map[string]any{"commit": "", "gogc": "off"}
	}
	all := strings.Join(mustCompare(t, Options{}, a, b).Warnings, "\n")
	if want := "a and b also differ in program.gogc (none, off)"; !strings.Contains(all, want) {
		t.Errorf("no %q in %s", want, all)
	}
	for i := range b.File.Runs {
		b.File.Runs[i].Hosts = nil
	}
	if all := strings.Join(mustCompare(t, Options{}, a, b).Warnings, "\n"); strings.Contains(all, "host.") {
		t.Errorf("a side without facts of its machine: %s", all)
	}
}

// The number of events timed together affects the time of a collective, but not that of a round
// trip. It separates cells only if it was asked for.
func TestWhereBatchesSeparate(t *testing.T) {
	for _, key := range []string{"half_rtt_s", "global_s"} {
		a, b := campaign{name: "a", launches: 4, sizes: 1}.source(1), campaign{name: "b", launches: 4, sizes: 1}.source(2)
		for _, s := range []Source{a, b} {
			for i := range s.File.Points {
				p := &s.File.Points[i]
				p.Metrics = record.ValuesOf(map[string]record.Value{key: p.Metrics.Get("half_rtt_s")})
				if s.Name == "b" {
					p.Batched = 16
				}
			}
		}
		r := mustCompare(t, Options{}, a, b)
		warned := strings.Contains(strings.Join(r.Warnings, "\n"), "batched")
		if len(r.Rows) != 1 || warned != (key == "global_s") {
			t.Errorf("%s: %d rows of batches that nobody asked for, warnings %q", key, len(r.Rows), r.Warnings)
		}
		for i := range b.File.Points {
			b.File.Points[i].Batch = 16
		}
		if r := mustCompare(t, Options{}, a, b); (len(r.Rows) == 1) != (key == "half_rtt_s") {
			t.Errorf("%s: %d rows", key, len(r.Rows))
		}
	}
}

// Programs of a sweep, and labels, of one side are compared each with its own on the other side.
func TestProgramsOfASideAreApart(t *testing.T) {
	for _, fact := range []string{"program", "label"} {
		side := func(name string) Source {
			s := Source{Name: name, File: &record.File{}}
			for i, program := range []string{"old", "new"} {
				one := campaign{name: name + program, launches: 6, sizes: 1, sigma: 0.002}.source(uint64(10*i + len(name)))
				for j := range one.File.Runs {
					if fact == "label" {
						one.File.Runs[j].Label = program
					} else {
						one.File.Runs[j].Program = map[string]any{"path": program}
					}
				}
				s.File.Runs, s.File.Points = append(s.File.Runs, one.File.Runs...), append(s.File.Points, one.File.Points...)
			}
			return s
		}
		r := mustCompare(t, Options{}, side("a"), side("bb"))
		if len(r.Rows) != 2 || r.Rows[0].NA != 6 || r.Rows[0].NB != 6 {
			t.Errorf("%s: %d rows, %+v", fact, len(r.Rows), r.Rows)
		}
	}
}

// If the sides are not the files, the files are joined: a launch of which both have a part counts
// with one point in a state of a cell, that with most samples.
func TestALaunchInTwoFilesCountsOnce(t *testing.T) {
	part := func(iterations int64) *record.File {
		p := point("1", 8, 1e-6)
		p.Iterations = iterations
		return &record.File{Runs: []record.Run{run("1", "n1", "")}, Points: []record.Point{p}}
	}
	whole := part(200)
	other := point("1", 8, 2e-6)
	other.Transport = "smem"
	whole.Points = append(whole.Points, other)
	r := mustCompare(t, Options{By: "transport"}, Source{"part", part(100)}, Source{"whole", whole})
	for _, side := range r.Sides {
		if side.Points != 1 || side.Launches != 1 {
			t.Errorf("%s: %d points of %d launches, want 1 of 1", side.Name, side.Points, side.Launches)
		}
	}
}
