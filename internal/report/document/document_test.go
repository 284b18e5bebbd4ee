package document_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gobench/internal/report/cell"
	"gobench/internal/report/document"
	"gobench/internal/report/figure"
	"gobench/internal/report/figure/figuretest"
	"gobench/record"
)

func set(files ...*record.File) *cell.Set {
	s := cell.NewSet()
	for i, f := range files {
		s.Add(string(rune('a'+i))+".jsonl", f)
	}
	return s
}

func markdown(t *testing.T, s *cell.Set) string {
	t.Helper()
	var b bytes.Buffer
	d := document.Build(s, figure.All(s), document.Command{})
	if err := d.Markdown(&b, func(name string) string { return "figures/" + name + ".svg" }); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTheAnswerIsFirst(t *testing.T) {
	md := markdown(t, set(figuretest.PingPong(8)))
	answer, _, found := strings.Cut(md, "## Machines and runs")
	if !found {
		t.Fatal("there is no section on machines")
	}
	for _, want := range []string{
		"tcp against smem, 24 configurations: slower in 24 (by a factor of 2.", "to 60", // what, by how much
		"Each launch counts as one value", // whether it is real
		"noise floor of this machine is unknown",
		"Headline numbers", "| Ping-pong latency | smem | 0.10", "| ± 0.", "| 1 B, 2 ranks | 8 |", "| Ping-pong peak bandwidth | tcp | 8.", "| 4 MiB, 2 ranks |",
	} {
		if !strings.Contains(answer, want) {
			t.Errorf("the answer lacks %q:\n%s", want, answer)
		}
	}
}

// A report opens with the answer in a sentence, the headline beside a picture, and at most three
// caveats; the rest is folded.
func TestTheOpening(t *testing.T) {
	s := set(figuretest.PingPong(3))
	opening := document.Build(s, figure.All(s), document.Command{}).Sections[0].Blocks
	lead, isLead := opening[0].(document.Lead)
	if !isLead || !strings.HasPrefix(string(lead), "tcp against smem, ") {
		t.Errorf("it begins with %v", opening[0])
	}
	beside, isBeside := opening[1].(document.Beside)
	if !isBeside || beside.Right.Name != "pingpong" {
		t.Fatalf("then comes %v", opening[1])
	}
	if table, ok := beside.Left[0].(document.Table); !ok || table.Title != "Headline numbers" {
		t.Errorf("beside the picture is %v", beside.Left[0])
	}
	for _, b := range opening[2:] {
		if list, ok := b.(document.List); ok && len(list) > 3 {
			t.Errorf("%d lines of caveats are not folded", len(list))
		}
	}
	var html bytes.Buffer
	if err := document.Build(s, figure.All(s), document.Command{}).HTML(&html); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(html.String(), `id="pingpong"`); n != 1 {
		t.Errorf("the first picture is there %d times", n)
	}
	if !strings.Contains(html.String(), "<details><summary>Runs</summary>") {
		t.Error("the runs are not folded")
	}
}

func TestSingleLaunchesHaveACaveat(t *testing.T) {
	md := markdown(t, set(figuretest.PingPong(1)))
	if !strings.Contains(md, "All comparisons are of single launches, which is no evidence.") {
		t.Error("the answer does not warn of a single launch")
	}
	if !strings.Contains(md, "| 7 | differences are tested in a statistically sound way | no |") {
		t.Error("rule 7 is said to be kept")
	}
}

func TestNothingToCompare(t *testing.T) {
	f := figuretest.Collectives()
	md := markdown(t, set(f))
	if !strings.Contains(md, "nothing can be compared") {
		t.Error("the answer does not say that there is nothing to compare")
	}
}

// The rules are judged by the records, so that each of those that can fail does
// with some records.
func TestRulesAreJudged(t *testing.T) {
	kept := regexp.MustCompile(`(?m)^\| (\d+) \| [^|]* \| ([^|]*) \|`)
	judge := func(s *cell.Set) map[string]string {
		verdicts := map[string]string{}
		_, rules, _ := strings.Cut(markdown(t, s), "## Rules of good practice")
		for _, m := range kept.FindAllStringSubmatch(rules, -1) {
			verdicts[m[1]] = m[2]
		}
		return verdicts
	}
	good := judge(set(figuretest.PingPong(8)))
	if len(good) != 12 {
		t.Fatalf("%d rules", len(good))
	}
	for _, rule := range []string{"2", "3", "4", "5", "6", "7", "8", "9", "12"} {
		if good[rule] != "yes" {
			t.Errorf("rule %s of good records: %s", rule, good[rule])
		}
	}
	bad := figuretest.PingPong(1)
	bad.Runs = nil
	bad.Warnings = []string{"a.jsonl:9: the last line is incomplete and is left out"}
	for i := range bad.Points {
		for key, v := range bad.Points[i].Metrics.All() {
			bad.Points[i].Metrics.Set(key, record.Value{Median: v.Median, N: 1})
		}
	}
	got := judge(set(bad))
	for _, rule := range []string{"2", "5", "7", "8", "9", "12"} {
		if got[rule] != "no" {
			t.Errorf("rule %s of bad records: %s", rule, got[rule])
		}
	}
	single := judge(set(figuretest.PingPong(1)))
	for rule, want := range map[string]string{"5": "in part", "6": "yes", "12": "in part", "10": "does not apply"} {
		if single[rule] != want {
			t.Errorf("rule %s of single launches: %s, want %s", rule, single[rule], want)
		}
	}
	if few := judge(set(figuretest.PingPong(3))); few["5"] != "in part" || few["6"] != "yes" || few["7"] != "no" {
		t.Errorf("three launches: %v", few)
	}
	imported := figuretest.PingPong(2)
	imported.Runs[1].Command = []string{"gobench", "import", "imb.log"}
	imported.Runs[1].Warnings = []string{"imported from a log of IMB", "times are means over all repetitions, which IMB times together"}
	if got := judge(set(imported)); got["3"] != "in part" {
		t.Errorf("rule 3 of imported means: %s", got["3"])
	}
	if k := judge(set(figuretest.Kernels())); k["1"] != "yes" || k["4"] != "in part" || k["6"] != "in part" {
		t.Errorf("rules 1, 4 and 6 of scaling runs: %v", k)
	}
	if c := judge(set(figuretest.Collectives())); c["4"] != "does not apply" || c["10"] != "yes" {
		t.Errorf("rules 4 and 10 of collectives: %v", c)
	}
}

func TestPageNeedsNothingElse(t *testing.T) {
	s := set(figuretest.PingPong(2), figuretest.Collectives())
	var b bytes.Buffer
	if err := document.Build(s, figure.All(s), document.Command{}).HTML(&b); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, want := range []string{"<!DOCTYPE html>", `class="mark"`, "<svg role=", "data-value="} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, m := range regexp.MustCompile(`(?:src|href|url\()=?["']?([^"'>)\s]+)`).FindAllStringSubmatch(page, -1) {
		if !strings.HasPrefix(m[1], "#") {
			t.Errorf("the page refers to %s", m[1])
		}
	}
}

func TestTextIsEscaped(t *testing.T) {
	f := figuretest.PingPong(1)
	for i := range f.Points {
		if f.Points[i].Transport == "tcp" {
			f.Points[i].Transport = `<b>&|"`
		}
	}
	s := set(f)
	var b bytes.Buffer
	if err := document.Build(s, figure.All(s), document.Command{}).HTML(&b); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "<b>&|") {
		t.Error("the page takes text for HTML")
	}
	if strings.Contains(markdown(t, s), "<b>&|") {
		t.Error("Markdown takes text for HTML")
	}
}

func TestEveryFormIsWritten(t *testing.T) {
	s := set(figuretest.PingPong(1))
	dir := t.TempDir()
	forms := []string{"r.html", "r.pdf", "r.md", "r.png", "r.svg", "all/"}
	if testing.Short() { // bitmaps take long under the race detector
		forms = []string{"r.html", "r.md", "r.svg"}
	}
	for _, name := range forms {
		files, _, err := document.Write(s, document.Output{Path: filepath.Join(dir, name) + strings.Repeat("/", strings.Count(name, "/"))})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, f := range files {
			if info, err := os.Stat(f); err != nil || info.Size() == 0 {
				t.Errorf("%s: %v", f, err)
			}
		}
	}
	left, err := filepath.Glob(filepath.Join(dir, ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// The rate of an even number of launches is the one that belongs to the time, and fewer than
// six launches have no interval, as one launch does not predict the next.
func TestRatesAndIntervalsOfFewLaunches(t *testing.T) {
	for launches, interval := range map[int]bool{1: false, 4: false, 8: true} {
		f := figuretest.PingPong(launches)
		for i := range f.Points {
			p := &f.Points[i]
			// every launch is another, and they do not drift
			factor := 1 + 0.5*float64(i*launches/len(f.Points)*3%launches)
			t := p.Metrics.Get("half_rtt_s")
			t.Median, t.Lo, t.Hi = 4e-6*factor, 3.9e-6*factor, 4.1e-6*factor
			p.Metrics = record.ValuesOf(map[string]record.Value{"half_rtt_s": t, "bandwidth_Bps": {Median: 1e9 / factor, N: 1}})
		}
		md := markdown(t, set(f))
		for _, line := range regexp.MustCompile(`(?m)^(\| series \| at .*|Medians over launches\. ±.*)$`).FindAllString(md, -1) {
			if strings.Contains(line, "95 %") != interval {
				t.Errorf("%d launches: %s", launches, line)
			}
		}
		row := regexp.MustCompile(`(?m)^\| smem \| 1 KiB \|.*$`).FindString(md)
		if got := strings.Contains(row, " to "); got != interval {
			t.Errorf("%d launches: has an interval: %v, in %s", launches, got, row)
		}
		// The middle of 4 launches is between factors 1.5 and 2: 4 µs x 1.75, 1 GB/s / 1.75.
		if launches == 4 && !strings.Contains(row, "| 7 | 0.5714 |") {
			t.Errorf("4 launches: %s", row)
		}
	}
}

// Records without the time of the others are in the table, with their rate.
func TestTablesHaveAllSources(t *testing.T) {
	log := figuretest.PingPong(1)
	for i := range log.Points {
		p := &log.Points[i]
		p.Library = "Another MPI"
		if p.Size > 0 {
			p.Metrics = record.ValuesOf(map[string]record.Value{"bandwidth_Bps": p.Metrics.Get("bandwidth_Bps")})
		} else {
			p.Metrics = record.ValuesOf(map[string]record.Value{"message_rate_per_s": {Median: 1e6, N: 1}})
		}
	}
	md := markdown(t, set(figuretest.PingPong(1), log))
	for _, want := range []string{"| series | at | bandwidth, GB/s |", "| Another MPI, smem | 1 KiB | ", "rate, million/s |", "| Another MPI, smem | 0 B | 1 |", "| gobench, smem | 1 KiB | 0."} {
		if !strings.Contains(md, want) {
			t.Errorf("%q is missing", want)
		}
	}
}

// Comparisons without a test have no p-value.
func TestSingleLaunchesHaveNoP(t *testing.T) {
	_, table, _ := strings.Cut(markdown(t, set(figuretest.PingPong(1))), "Comparison by ")
	if row := regexp.MustCompile(`(?m)^\| ping-pong 1 KiB \|.*$`).FindString(table); !strings.Contains(row, " |  |  | 1+1 | ") {
		t.Errorf("row %s", row)
	}
}

// Of many algorithms the first page has the best, the choice of the defaults and the best of each
// transport, the best first, and says how many rows are left out and why.
func TestHeadlinesAreTheBest(t *testing.T) {
	_, page, _ := strings.Cut(markdown(t, set(figuretest.Algorithms())), "Headline numbers")
	at := 0
	for _, want := range []string{"| Bcast, 8 B | smem, n |", "| Bcast, 8 B | smem, l |", "| Bcast, 8 B | tcp, m |", "| Bcast, 8 B |", "| Bcast, 8 B |", "| Bcast, 8 B |", "| Bcast, 1 MiB | smem, m |",
		"44 rows are left out, because the page has room for 6 of a number"} {
		i := strings.Index(page[at:], want)
		if i < 0 {
			t.Fatalf("no %q in its place:\n%s", want, page[:min(len(page), 3000)])
		}
		at += i + len(want)
	}
}

// Rows of a comparison with the same benchmark and size are told apart by what differs, such as the
// algorithm.
func TestComparedCellsHaveNames(t *testing.T) {
	f := figuretest.Algorithms()
	f.Points = slices.DeleteFunc(f.Points, func(p record.Point) bool { return p.Ranks != 4 || p.Size > 8 })
	md := markdown(t, set(f))
	_, table, _ := strings.Cut(md, "Comparison by transport")
	for _, want := range []string{"| bcast 8 B 4 ranks, a |", "| bcast 8 B 4 ranks, n |"} {
		if !strings.Contains(table, want) {
			t.Errorf("no %q in %s", want, table[:min(len(table), 1500)])
		}
	}
}

// Records of several libraries are compared by library, and the report states their versions.
func TestLibrariesAreStated(t *testing.T) {
	f := figuretest.PingPong(4)
	for _, p := range slices.Clone(f.Points) {
		if p.Transport == "smem" {
			p.Transport, p.Level = "mpi", "comm"
			p.Options = map[string]string{"library": "Open MPI 4.1.4", "version": "Open MPI v4.1.4, package: Debian Open MPI\ufffdident: 4.1.4", "wait": "library"}
			f.Points = append(f.Points, p)
			p.Library = "OSU Micro-Benchmarks"
			f.Points = append(f.Points, p)
		}
	}
	md := markdown(t, set(f))
	for _, want := range []string{"Comparison by library", "| Open MPI 4.1.4 | mpi | Open MPI v4.1.4, package: Debian Open MPI ident: 4.1.4 |"} {
		if !strings.Contains(md, want) {
			t.Errorf("no %q in the report", want)
		}
	}
}

// Where few events are very slow, as with lost packets, the first page says so, and the tables have
// the mean and the slowest event.
func TestRareSlowEventsAreShown(t *testing.T) {
	f := figuretest.PingPong(1)
	if md := markdown(t, set(f)); strings.Contains(md, "very slow") || strings.Contains(md, "| slowest, µs |") {
		t.Error("a quiet network has slow events")
	}
	for i := range f.Points {
		if p := &f.Points[i]; p.Transport == "tcp" && p.Size == 8 {
			v := p.Metrics.Get("half_rtt_s")
			v.Median, v.Mean, v.Max = 20e-6, 4081e-6, 0.208
			p.Metrics.Set("half_rtt_s", v)
		}
	}
	md := markdown(t, set(f))
	for _, want := range []string{"Few events are very slow in 1 of ", "tcp, 8 B, 2 ranks: mean 4081 µs, slowest event 0.208 s, median 20 µs.", "| mean, µs | slowest, µs |", "| 4081 | 208 000 |"} {
		if !strings.Contains(md, want) {
			t.Errorf("no %q in the report", want)
		}
	}
}
