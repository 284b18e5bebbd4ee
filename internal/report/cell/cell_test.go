package cell_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gobench/internal/report/cell"
	"gobench/internal/report/figure/figuretest"
	"gobench/record"
	"gobench/stats"
)

func set(files ...*record.File) *cell.Set {
	s := cell.NewSet()
	for i, f := range files {
		s.Add(string(rune('a'+i))+".jsonl", f)
	}
	return s
}

func size(p cell.Point) float64 { return float64(p.Size) }

func names(all []cell.Series) string {
	var list []string
	for _, s := range all {
		list = append(list, s.Name)
	}
	return strings.Join(list, "; ")
}

// Machines of other names that also differ in how they are virtualised are named by that.
func TestVirtualizationNamesSeries(t *testing.T) {
	var files []*record.File
	for i, kind := range []string{"hvm", "pv", "native"} {
		f := figuretest.PingPong(1)
		for range i {
			figuretest.Other(f)
		}
		f.Points = f.Points[:3] // of smem
		for k := range f.Runs {
			facts := f.Runs[k].Hosts[0].(map[string]any)
			facts["hostname"], facts["virtualization"] = fmt.Sprint("n", i), kind
		}
		files = append(files, f)
	}
	series := cell.Split(set(files...).Where(func(cell.Point) bool { return true }), "half_rtt_s", size)
	if got := names(series); got != "HVM guest; PV guest; native" {
		t.Errorf("series %q", got)
	}
}

func TestSeriesAreNamedByDistinguishingFactors(t *testing.T) {
	change := func(f *record.File, how func(*record.Point)) *record.File {
		for i := range f.Points {
			how(&f.Points[i])
		}
		return f
	}
	files := 0
	one := func() *record.File { // with its own run
		f := figuretest.PingPong(1)
		for range files {
			figuretest.Other(f)
		}
		files++
		return f
	}
	onlySmem := func(f *record.File) *record.File {
		var some []record.Point
		for _, p := range f.Points {
			if p.Transport == "smem" {
				some = append(some, p)
			}
		}
		f.Points = some
		return f
	}
	labelled := func(f *record.File, label string) *record.File {
		for i := range f.Runs {
			f.Runs[i].Label = label
		}
		return f
	}
	for name, c := range map[string]struct {
		set  *cell.Set
		want string
	}{
		"transports":                             {set(one()), "smem; tcp"},
		"launches are one":                       {set(figuretest.PingPong(5)), "smem; tcp"},
		"files":                                  {set(one(), one()), "smem, a; smem, b; tcp, a; tcp, b"},
		"files that share nothing are not named": {set(onlySmem(one()), change(onlySmem(one()), func(p *record.Point) { p.Transport = "tcp" })), "smem; tcp"},
		"an option": {set(change(onlySmem(one()), func(p *record.Point) { p.Options = map[string]string{"cma": "on", "wait": "spin"} }),
			change(onlySmem(one()), func(p *record.Point) { p.Options = map[string]string{"cma": "off", "wait": "spin"} })), "cma off; cma on"},
		// the files
		"what nobody chose": {set(change(onlySmem(one()), func(p *record.Point) { p.Found = map[string]string{"sndbuf_kernel": "69120"} }),
			change(onlySmem(one()), func(p *record.Point) { p.Found = map[string]string{"sndbuf_kernel": "1285632"} })), "a; b"},
		"labels": {set(labelled(one(), "before"), labelled(one(), "after")), "after, smem; after, tcp; before, smem; before, tcp"},
		"a label for an option": {set(change(labelled(onlySmem(one()), "copy by the kernel"), func(p *record.Point) { p.Options = map[string]string{"cma": "on"} }),
			labelled(onlySmem(one()), "through a ring")), "copy by the kernel; through a ring"},
		"some have labels": {set(one(), labelled(change(onlySmem(one()), func(p *record.Point) { p.Transport = "tcp" }), "niodev")), "niodev, tcp; smem; tcp"},
		// and not the algorithm, which the size chose
		"ranks in their order": {set(figuretest.Collectives()), "2 ranks; 4 ranks; 8 ranks"},
	} {
		points := c.set.Points
		got := cell.Split(points, record.TimeKey(points[0].Metrics), size)
		if names(got) != c.want {
			t.Errorf("%s: %s, want %s", name, names(got), c.want)
		}
		if n := cell.Count(points, size); n != len(got) {
			t.Errorf("%s: %d series are counted, %d made", name, n, len(got))
		}
	}
}

// The 99th percentile of a cell is the median of those of its launches, and there is none if a
// launch has timed events together.
func TestP99OfLaunches(t *testing.T) {
	of := func(p99 ...float64) float64 {
		var c cell.Cell
		for _, q := range p99 {
			c.Points = append(c.Points, cell.Point{Point: &record.Point{Metrics: record.ValuesOf(map[string]record.Value{"half_rtt_s": {Median: 1, P99: q}})}})
		}
		return c.P99("half_rtt_s")
	}
	if a, b, c := of(9, 2, 3), of(2, 4), of(2, 0); a != 3 || b != 3 || c != 0 {
		t.Errorf("%v, %v and %v, want 3, 3 and 0", a, b, c)
	}
}

// Algorithms are series if several measured the same cell, in one run or in two.
func TestRivalAlgorithms(t *testing.T) {
	for _, run := range []string{"c", "d"} {
		f := figuretest.Collectives()
		f.Runs = append(f.Runs, figuretest.Run("d", "n1", 8))
		for _, p := range f.Points {
			p.Algorithm, p.Run = "ring", run
			f.Points = append(f.Points, p)
		}
		if got := names(cell.Split(set(f).Points, "global_s", size)); !strings.Contains(got, "2 ranks, ring; ") {
			t.Errorf("series %s", got)
		}
	}
}

// A start mode is a series if ranks started together in one and not at all in the other. Ranks fall
// back to a barrier by themselves.
func TestRivalStarts(t *testing.T) {
	for start, want := range map[string]bool{"barrier": false, "none": true} {
		f := figuretest.Collectives()
		f.Runs = append(f.Runs, figuretest.Run("d", "n1", 8))
		for i, p := range f.Points {
			f.Points[i].Start = "time"
			p.Start, p.Run = start, "d"
			f.Points = append(f.Points, p)
		}
		if got := names(cell.Split(set(f).Points, "global_s", size)); strings.Contains(got, "back to back") != want || strings.Contains(got, "barrier") {
			t.Errorf("start %s: series %s", start, got)
		}
	}
}

// Cores are series if one command measured the same cell on several, which are no launches of one
// configuration. Launches of several commands on other cores are.
func TestRivalCores(t *testing.T) {
	for launches, want := range map[bool]int{false: 12, true: 1} {
		f := figuretest.Pairs()
		f.Runs = nil
		for i := range f.Points {
			r := figuretest.Run(fmt.Sprint("h", i), "n1", 2)
			if r.Series = "all"; launches {
				r.Series = r.ID
			}
			f.Runs, f.Points[i].Run = append(f.Runs, r), r.ID
		}
		points := set(f).Points
		got := cell.Split(points, "half_rtt_s", size)
		if len(got) != want || want > 1 && got[0].Name != "cores 0,1" || cell.Count(points, size) != want {
			t.Errorf("%d series: %s", len(got), names(got))
		}
	}
}

// Records of a cell without its metric are left out.
func TestCellsHaveTheirMetric(t *testing.T) {
	f := &record.File{}
	for i := range 3 {
		id := fmt.Sprint("r", i)
		f.Runs = append(f.Runs, record.Run{ID: id})
		p := record.Point{Run: id, Bench: "uniband", Transport: "smem", Ranks: 2, Size: 8, StateDistance: 160e-9, StateShare: 1, Metrics: record.ValuesOf(map[string]record.Value{"bandwidth_Bps": {Median: 1e9, N: 9}})}
		if i == 0 {
			p.StateDistance = 30e-9
			p.Metrics.Set("t_s", record.Value{Median: 1, N: 9})
		}
		f.Points = append(f.Points, p)
	}
	if cells := set(f).Cells(); len(cells) != 1 || cells[0].Launches() != 1 || cells[0].Median != 1 {
		t.Errorf("%+v", cells)
	}
}

// A cell has the median of its launches, with their range if they are few, and an interval from six
// on.
func TestLaunches(t *testing.T) {
	for launches, inner := range map[int]bool{2: false, 5: false, 9: true} {
		s := set(figuretest.PingPong(launches))
		c := cell.Split(s.Points, "half_rtt_s", size)[0].Cells[3]
		m := c.Medians("half_rtt_s")
		if c.Launches() != launches || len(m) != launches {
			t.Fatalf("%d launches, want %d", c.Launches(), launches)
		}
		if c.Median < m[(launches-1)/2] || c.Median > m[launches/2] {
			t.Errorf("median %g of %v", c.Median, m)
		}
		if whole := c.Lo == m[0] && c.Hi == m[launches-1]; whole == inner {
			t.Errorf("%d launches: %g to %g of %v", launches, c.Lo, c.Hi, m)
		}
	}
	c := cell.Split(set(figuretest.PingPong(1)).Points, "half_rtt_s", size)[0].Cells[3]
	if v := c.Points[0].Metrics.Get("half_rtt_s"); c.Lo != v.Lo || c.Hi != v.Hi {
		t.Error("one launch does not have its own interval")
	}
}

func TestMethodHasDifferencesAsRanges(t *testing.T) {
	s := set(figuretest.PingPong(1))
	for i, p := range s.Points {
		p.Method = fmt.Sprintf("busbw = 2 (p - 1) / p; median of %d samples after 1.5e-%02d s, IMB-MPI1", 100+i, i%3+4)
		if i%2 == 0 {
			p.Method += "; 4 events timed together"
		}
		p.Warnings = []string{fmt.Sprintf("known to %d %%", i)}
	}
	want := "busbw = 2 (p - 1) / p; median of 100 to 147 samples after 0.0000015 to 0.00015 s; IMB-MPI1; 4 events timed together (24 of 48 records)"
	if got := cell.Method(s.Points); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := cell.Warnings(s.Points); len(got) != 1 || got[0] != "known to 0 to 47 % (48 of 48 records)" {
		t.Errorf("warnings %q", got)
	}
}

func TestCommonLevels(t *testing.T) {
	got := strings.Join(cell.Common(set(figuretest.PingPong(1)).Points), ", ")
	if want := "ping-pong, level device, 2 ranks, on n1"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// One rank is in the series of several ranks, although it uses no network with its size of packets
// and no options of its transport.
func TestPlacementsOnHostsAreSeries(t *testing.T) {
	var runs []record.Run
	var points []record.Point
	add := func(id string, hosts ...int) {
		runs = append(runs, record.Run{ID: id, Job: record.Job{Ranks: len(hosts), Hosts: hosts}})
		points = append(points, record.Point{Run: id, Bench: "cg", Transport: "smem+tcp", Level: "comm", Ranks: len(hosts), Metrics: record.ValuesOf(map[string]record.Value{"mops": {Median: 1, N: 1}})})
	}
	add("1", 0)
	add("2", 0, 1)
	add("4", 0, 0, 1, 1)
	series := func() string {
		all := set(&record.File{Runs: runs, Points: points}).Where(func(cell.Point) bool { return true })
		return names(cell.Split(all, "mops", func(p cell.Point) float64 { return float64(p.Ranks) }, cell.Ranks, cell.Bench))
	}
	if s := series(); strings.Contains(s, "hosts") {
		t.Errorf("the hosts follow from the ranks: %s", s)
	}
	add("in turn", 0, 1, 0, 1)
	if s := series(); !strings.Contains(s, "hosts x ranks 2x2 in turn") {
		t.Errorf("ranks in turn have no series: %s", s)
	}
}

// Over the number of ranks a policy of placement is one line, also where the options are constant,
// and so is a cluster whose hosts are taken one after the other. Other machines are another line.
func TestLinesOverHostsHoldTogether(t *testing.T) {
	var f record.File
	add := func(placement string, names []string, on ...int) {
		id := fmt.Sprint(placement, names, on)
		run := record.Run{ID: id, Job: record.Job{Ranks: len(on), Hosts: on}}
		for _, name := range names {
			run.Hosts = append(run.Hosts, map[string]any{"hostname": name})
		}
		f.Runs = append(f.Runs, run)
		f.Points = append(f.Points, record.Point{Run: id, Bench: "cg", Transport: "mpi", Level: "comm", Ranks: len(on), Placement: placement,
			Options: map[string]string{"library": "Open MPI"}, Metrics: record.ValuesOf(map[string]record.Value{"mops": {Median: 1, N: 1}})})
	}
	series := func() []cell.Series {
		all := set(&f).Where(func(cell.Point) bool { return true })
		return cell.Split(all, "mops", func(p cell.Point) float64 { return float64(p.Ranks) }, cell.Ranks, cell.Bench)
	}
	expect := func(want map[string]int) {
		t.Helper()
		got := map[string]int{}
		for _, s := range series() {
			got[s.Name] = len(s.Cells)
		}
		if !maps.Equal(got, want) {
			t.Errorf("lines with their points %v, want %v", got, want)
		}
	}
	h := []string{"h1", "h2", "h3", "h4"}
	add("", h[:1], 0)
	add("", h[:1], 0, 0)
	add("", h[:2], 0, 0, 1, 1)
	add("", h, 0, 0, 1, 1, 2, 2, 3, 3)
	expect(map[string]int{"": 4})
	add("spread", h[:1], 0)
	add("spread", h[:2], 0, 1)
	add("spread", h, 0, 1, 2, 3)
	add("spread", h, 0, 1, 2, 3, 0, 1, 2, 3)
	expect(map[string]int{"placed host by host": 4, "placed spread": 4})
	add("", []string{"other"}, 0)
	add("", []string{"other"}, 0, 0)
	if all := series(); len(all) != 3 {
		t.Errorf("with another machine %s", names(all))
	}
}

func TestOneRankIsOfTheSeriesOfSeveralHosts(t *testing.T) {
	var points []record.Point
	add := func(ranks, mtu int, between string) {
		points = append(points, record.Point{Bench: "cg", Transport: "smem+tcp", Level: "comm", Ranks: ranks, MTU: mtu,
			Options: map[string]string{"between": between, "wait": "spin"}, Metrics: record.ValuesOf(map[string]record.Value{"mops": {Median: 1, N: 1}})})
	}
	add(1, 0, "none")
	add(2, 1500, "tcp")
	add(4, 1500, "tcp")
	series := func() []cell.Series {
		all := set(&record.File{Points: points}).Where(func(cell.Point) bool { return true })
		return cell.Split(all, "mops", func(p cell.Point) float64 { return float64(p.Ranks) }, cell.Ranks, cell.Bench)
	}
	if all := series(); len(all) != 1 {
		t.Errorf("%d series: %s", len(all), names(all))
	}
	if add(4, 9000, "tcp"); len(series()) == 1 {
		t.Error("packets of 1500 and 9000 bytes are one series")
	}
}

// Files with one name in two directories are two series and two sides, a file given twice is read
// once, and results of self-tests are left out.
func TestFilesAreToldApart(t *testing.T) {
	root := t.TempDir()
	var paths []string
	for _, dir := range []string{"old", "new"} {
		path := filepath.Join(root, dir, "ci.jsonl")
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		file, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		f := figuretest.PingPong(1)
		w := record.NewWriter(file)
		for _, r := range f.Runs {
			r.ID = dir + r.ID
			err = errors.Join(err, w.WriteRun(&r))
		}
		for _, p := range f.Points {
			p.Run, p.Metrics = dir+p.Run, record.ValuesOf(map[string]record.Value{"half_rtt_s": p.Metrics.Get("half_rtt_s")})
			err = errors.Join(err, w.WritePoint(&p))
		}
		test := f.Points[0]
		test.Metrics = record.ValuesOf(map[string]record.Value{"half_rtt_s": {Median: 1, Lo: 1, Hi: 1, Confidence: 0.95, N: 20}})
		test.Run, test.Warnings = dir+test.Run, []string{record.SelfTest + "delay"}
		err = errors.Join(err, w.WritePoint(&test))
		if err = errors.Join(err, file.Close()); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	s, err := cell.Load(append(paths, root), record.Selection{})
	if err != nil {
		t.Fatal(err)
	}
	var sides []string
	for _, source := range s.Sources {
		sides = append(sides, source.Name)
	}
	if got := strings.Join(sides, ", "); got != "old/ci, new/ci" {
		t.Errorf("sides %s", got)
	}
	if got, want := len(s.Points), 2*len(figuretest.PingPong(1).Points); got != want {
		t.Errorf("%d points, want %d", got, want)
	}
	all := cell.Split(s.Points, "half_rtt_s", size)
	if got := names(all); got != "new/ci, smem; new/ci, tcp; old/ci, smem; old/ci, tcp" && got != "smem, new/ci; smem, old/ci; tcp, new/ci; tcp, old/ci" {
		t.Errorf("series %s", got)
	}
}

// Six launches or more have an interval, unless they drift; two to five have a range.
func TestSpreads(t *testing.T) {
	of := func(times ...float64) cell.Cell {
		f := &record.File{}
		for i, x := range times {
			id := fmt.Sprint("r", i)
			f.Runs = append(f.Runs, record.Run{ID: id})
			f.Points = append(f.Points, record.Point{Run: id, Time: time.Unix(int64(i), 0), Bench: "pingpong", Transport: "smem", Ranks: 2, Size: 8,
				Metrics: record.ValuesOf(map[string]record.Value{"half_rtt_s": {Median: x, N: 9}})})
		}
		return set(f).Cells()[0]
	}
	for _, c := range []struct {
		times []float64
		want  cell.Spread
	}{
		{[]float64{1}, cell.Bare},
		{[]float64{1, 2, 3}, cell.Few},
		{[]float64{1, 2, 3, 4, 5, 6, 7, 8}, cell.Drifting},
		{[]float64{4, 1, 5, 2, 6, 3, 7, 2.5}, cell.Between},
	} {
		if got := of(c.times...); got.Spread() != c.want {
			t.Errorf("%v: spread %d, want %d: %v to %v", c.times, got.Spread(), c.want, got.Lo, got.Hi)
		}
	}
	base, other := of(4, 1, 5, 2, 6, 3, 7, 2.5), of(8, 9, 10)
	want, _ := stats.NewShift(stats.Stratum{A: []float64{4, 1, 5, 2, 6, 3, 7, 2.5}, B: []float64{8, 9, 10}}).Ratio(stats.Level)
	if r := other.Over(base); r.Spread() != cell.Few || (stats.Interval{Median: r.Median, Lo: r.Lo, Hi: r.Hi}) != want {
		t.Errorf("a ratio of a range and an interval: %+v, want that of comparisons %+v", r, want)
	}
	if r := of(3).Over(of(2)); r.Median != 1.5 || r.Lo != 0 {
		t.Errorf("a ratio of single launches: %+v", r)
	}
}

// A cell or a launch of which two files have parts is the same as in one file with both: points of
// unknown state join the only known state of the cell, and a launch has one point for a state.
func TestPartsOfACellInTwoFiles(t *testing.T) {
	run := func(id string) record.Run { return figuretest.Run(id, "n1", 2) }
	point := func(id string, iterations int64, distance float64) record.Point {
		return record.Point{Run: id, Time: time.Unix(int64(len(id)), 0), Bench: "pingpong", Transport: "smem", Level: "device", Size: 8, Ranks: 2, RankKind: "process", Cores: []int{0, 1}, Iterations: iterations,
			StateDistance: distance, StateShare: min(1, 1e12*distance), Metrics: record.ValuesOf(map[string]record.Value{"half_rtt_s": {Median: 1e-6, N: 100}})}
	}
	s := set(
		&record.File{Runs: []record.Run{run("1"), run("22")}, Points: []record.Point{point("1", 100, 50e-9), point("22", 100, 300e-9)}},
		&record.File{Runs: []record.Run{run("1"), run("333")}, Points: []record.Point{point("1", 200, 51e-9), point("333", 100, 50e-9)}},
	)
	if len(s.Runs) != 3 || len(s.Points) != 3 {
		t.Fatalf("%d runs and %d points, want 3", len(s.Runs), len(s.Points))
	}
	for _, p := range s.Points {
		if p.Point.Run == "1" && p.Iterations != 200 {
			t.Errorf("the point of launch 1 has %d samples, want 200", p.Iterations)
		}
	}
	unknown := set(
		&record.File{Runs: []record.Run{run("1"), run("22")}, Points: []record.Point{point("1", 100, 50e-9)}},
		&record.File{Runs: []record.Run{run("22")}, Points: []record.Point{point("22", 100, 0)}},
	)
	for _, p := range unknown.Points {
		if p.State() != unknown.Points[0].State() {
			t.Errorf("run %s is %s, run 1 is %s", p.Point.Run, p.State(), unknown.Points[0].State())
		}
	}
}
