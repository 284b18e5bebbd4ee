package comparison_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"gobench/compare"
	"gobench/internal/report/comparison"
	"gobench/record"
	"gobench/report"
)

func compared(t *testing.T, sides []compare.Source, o compare.Options) *compare.Result {
	t.Helper()
	r, err := compare.Compare(sides, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// campaign is eight launches of three sizes; factor is the slowdown of each size.
func campaign(name string, factor ...float64) compare.Source {
	f := &record.File{}
	begin := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for launch := range 8 {
		id := fmt.Sprintf("%s%d", name, launch)
		f.Runs = append(f.Runs, record.Run{ID: id, Time: begin, Command: []string{"gobench"}, Hosts: []any{map[string]any{"hostname": "n<1>"}}, Job: record.Job{Launcher: "local", Ranks: 2}})
		for i, slow := range factor {
			t := 1e-6 * float64(i+1) * slow * (1 + float64(launch*5%8)/2000)
			f.Points = append(f.Points, record.Point{
				Run: id, Time: begin, Bench: "pingpong", Transport: "a|b<&>\"", Level: "device", Size: int64(8 << i), Ranks: 2, RankKind: "process", Iterations: 100, Launch: launch + 1,
				Metrics: record.ValuesOf(map[string]record.Value{"half_rtt_s": {Median: t, Lo: 0.99 * t, Hi: 1.01 * t, Confidence: 0.95, N: 100}}),
			})
		}
	}
	return compare.Source{Name: name, File: f}
}

// result has one cell of each kind: one as before, one 5 % slower, one that is gone.
func result(t *testing.T) *compare.Result {
	t.Helper()
	r := compared(t, []compare.Source{campaign("old|<1>", 1, 1, 1), campaign("new", 1, 1.05)}, compare.Options{Gate: true, Minimum: 0.02})
	if len(r.Rows) != 2 || len(r.Missing) != 1 || r.Gate.Conclusion != compare.Failed {
		t.Fatalf("%+v", r)
	}
	return r
}

func written(t *testing.T, form func(io.Writer, *compare.Result) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := form(&b, result(t)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Rows fit into terminals of 60 columns and more. A reason that does not fit is printed below the
// rows.
func TestTableFitsTheTerminal(t *testing.T) {
	few := func(name string) compare.Source {
		s := campaign(name, 1, 1, 1)
		s.File.Points, s.File.Runs = s.File.Points[:6], s.File.Runs[:2]
		return s
	}
	r := compared(t, []compare.Source{few("old"), few("new")}, compare.Options{})
	const why = "inconclusive: 2 and 2 launches are too few"
	for _, width := range []int{0, 60, 70, 80, 200} {
		var b bytes.Buffer
		if err := comparison.Table(&b, report.Terminal{Width: width}, r); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(strings.ReplaceAll(b.String(), "\n# ", " "), why) {
			t.Errorf("width %d: no reason in\n%s", width, b.String())
		}
		for line := range strings.Lines(b.String()) {
			if n := len(strings.TrimSuffix(line, "\n")); width > 0 && n > width {
				t.Errorf("width %d: %d columns in %q", width, n, line)
			}
		}
	}
}

// On a terminal the first screen has the counts of verdicts, the worst cells, whether a slowdown
// would have been found, and where the rest is.
func TestFirstScreen(t *testing.T) {
	const want = `gobench compare   by file   base old, 8 launches of each side

     worse  better  same  inconclusive          ratio
new      1       1     2             0  0.900 to 1.05

cell                old       new   ratio  ± %  verdict
pingpong 16 B  2.003 us  2.104 us   1.050  0.3  slower
pingpong 8 B   1.002 us  1.002 us   1.000  0.3  same
pingpong 64 B  4.007 us  4.007 us   1.000  0.3  same
pingpong 32 B  3.005 us  2.705 us  0.9000  0.3  faster

STEADY  A slowdown of 2 % would have been found in half of the cells;
        differences up to 2 % do not count.

all rows, intervals, p:  gobench compare old new --full
figures:  gobench report old new   words: gobench explain ratio
`
	old, changed := campaign("old", 1, 1, 1, 1), campaign("new", 1, 1.05, 0.9, 1)
	screen := func(term report.Terminal, o compare.Options, sides ...compare.Source) string {
		r := compared(t, sides, o)
		var b strings.Builder
		if err := comparison.Text(&b, term, r, report.View{Records: "old new"}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if got := screen(report.Terminal{Width: 80}, compare.Options{}, old, changed); got != want {
		t.Errorf("%s", got)
	}
	var many []compare.Source
	for i := range 30 {
		many = append(many, campaign(fmt.Sprint("side", i), 1, 1.3, 0.7))
	}
	for height := 1; height < 40; height++ {
		got := screen(report.Terminal{Width: 80, Height: height}, compare.Options{}, many...)
		if n := strings.Count(got, "\n"); n >= max(height, 13) || !strings.Contains(got, "\nside1 ") || strings.Contains(got, "\nside29 ") == strings.Contains(got, "more: ") {
			t.Errorf("%d rows: %d lines\n%s", height, n, got)
		}
	}
	for name, got := range map[string]string{
		"gate":     screen(report.Terminal{Width: 80}, compare.Options{Gate: true}, old, changed),
		"narrow":   screen(report.Terminal{Width: 40}, compare.Options{}, old, changed),
		"30 sides": screen(report.Terminal{Width: 80}, compare.Options{}, many...),
	} {
		if n := strings.Count(got, "\n"); n > 23 {
			t.Errorf("%s: %d lines\n%s", name, n, got)
		}
	}
}

// JUnit counts its elements, and its names are escaped.
func TestJUnit(t *testing.T) {
	var got struct {
		Suites []struct {
			Tests    int `xml:"tests,attr"`
			Failures int `xml:"failures,attr"`
			Errors   int `xml:"errors,attr"`
			Skipped  int `xml:"skipped,attr"`
			Cases    []struct {
				Class   string    `xml:"classname,attr"`
				Name    string    `xml:"name,attr"`
				Failure *struct{} `xml:"failure"`
				Error   *struct{} `xml:"error"`
				Skipped *struct{} `xml:"skipped"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	text := written(t, comparison.JUnit)
	if err := xml.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err, text)
	}
	s := got.Suites[0]
	var failures, gone, skipped int
	names := map[string]bool{}
	for _, c := range s.Cases {
		names[c.Class+" "+c.Name] = true
		if c.Failure != nil {
			failures++
		}
		if c.Error != nil {
			gone++
		}
		if c.Skipped != nil {
			skipped++
		}
	}
	if len(got.Suites) != 1 || s.Tests != 4 || len(s.Cases) != 4 || len(names) != 4 || s.Failures != 2 || failures != 2 || s.Errors != 1 || gone != 1 || s.Skipped != 0 || skipped != 0 {
		t.Errorf("%+v\n%s", got, text)
	}
	if !strings.Contains(s.Cases[0].Class, `a|b<&>"`) {
		t.Errorf("class %q", s.Cases[0].Class)
	}
}

// Names of cases are names of cells, without paths. If a gate is inconclusive, it is skipped with
// the reason, and no cell has passed that it cannot compare. Without a gate no cell fails.
func TestJUnitOfAnInconclusiveGate(t *testing.T) {
	old, again := campaign("/tmp/x/old.jsonl", 1, 1), campaign("/tmp/y/new.jsonl", 1, 1)
	for _, c := range []struct {
		ungated bool
		sides   []compare.Source
		want    []string
	}{
		{true, []compare.Source{old, campaign("new", 2, 2)}, []string{`tests="2" failures="0" errors="0" skipped="0"`}},
		{false, []compare.Source{old, again}, []string{`tests="3" failures="0" errors="0" skipped="0"`, `name="pingpong a|b&lt;&amp;&gt;&#34; device 8 B 2 ranks" time="4.000"`}},
		{false, []compare.Source{old, {Name: "copy", File: old.File}}, []string{`tests="3" failures="0" errors="0" skipped="3"`, `<skipped message="inconclusive: /tmp/x/old.jsonl and copy have the same 8 launches`}},
		{false, []compare.Source{old, again, campaign("/tmp/y/third.jsonl", 1)}, []string{`2 ranks (third.jsonl)"`, `<error message="third.jsonl has no such result, old.jsonl has">`}},
	} {
		for _, s := range c.sides {
			for i := range s.File.Points {
				s.File.Points[i].Duration = 0.25
			}
		}
		r := compared(t, c.sides, compare.Options{Gate: !c.ungated})
		var b bytes.Buffer
		if err := comparison.JUnit(&b, r); err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !strings.Contains(b.String(), want) {
				t.Errorf("no %s in %s", want, b.String())
			}
		}
	}
}

// A table of Markdown has as many cells in each row as in its heading.
func TestMarkdown(t *testing.T) {
	text := written(t, comparison.Markdown)
	for _, want := range []string{"**regression**: 1 of 2 cells is slower", "**slower**", "1.050"} {
		if !strings.Contains(text, want) {
			t.Errorf("it lacks %q:\n%s", want, text)
		}
	}
	cells, rows := 0, 0
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "|") {
			cells = 0
			continue
		}
		rows++
		n := strings.Count(line, "|") - strings.Count(line, `\|`)
		if cells != 0 && n != cells {
			t.Errorf("%d cells, its heading has %d: %s", n, cells, line)
		}
		cells = n
		if strings.Contains(line, "<") {
			t.Errorf("a name is taken for HTML: %s", line)
		}
	}
	if rows < 4 {
		t.Errorf("there is no table:\n%s", text)
	}
}

func TestJSONAndCSV(t *testing.T) {
	kinds := map[string]int{}
	for line := range strings.Lines(written(t, comparison.JSON)) {
		var row struct{ Schema, Kind string }
		if err := json.Unmarshal([]byte(line), &row); err != nil || row.Schema != comparison.Schema {
			t.Errorf("%s: %v", line, err)
		}
		kinds[row.Kind]++
	}
	if kinds["comparison"] != 2 || kinds["summary"] != 1 {
		t.Errorf("%v", kinds)
	}
	rows, err := csv.NewReader(strings.NewReader(written(t, comparison.CSV))).ReadAll() // refuses rows of other lengths
	if err != nil || len(rows) != 3 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}

// full is a writer that fails after some bytes, like a full disk.
type full struct{ left int }

var errFull = errors.New("no space left on device")

func (f *full) Write(b []byte) (int, error) {
	if len(b) > f.left {
		return 0, errFull
	}
	f.left -= len(b)
	return len(b), nil
}

func TestAFullDiskIsAnError(t *testing.T) {
	r := result(t)
	for name, form := range map[string]func(io.Writer, *compare.Result) error{
		"junit": comparison.JUnit, "markdown": comparison.Markdown, "json": comparison.JSON, "csv": comparison.CSV,
		"table": func(w io.Writer, r *compare.Result) error { return comparison.Table(w, report.Terminal{}, r) },
	} {
		for _, left := range []int{0, 100} {
			if err := form(&full{left}, r); !errors.Is(err, errFull) {
				t.Errorf("%s, %d bytes: error %v", name, left, err)
			}
		}
	}
}

// tableOf compares sources and returns the table.
func tableOf(t *testing.T, sources []compare.Source) string {
	t.Helper()
	r := compared(t, sources, compare.Options{})
	var b bytes.Buffer
	if err := comparison.Table(&b, report.Terminal{}, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A note on the base is printed once for all sides.
func TestRemarksOfTheBaseAreWrittenOnce(t *testing.T) {
	sources := []compare.Source{campaign("old", 1), campaign("one", 1), campaign("two", 1)}
	for i, s := range sources {
		for j := range s.File.Points {
			s.File.Points[j].DistanceBefore = 40e-9
			if i == 0 && j < 2 {
				s.File.Points[j].DistanceBefore = 400e-9
			}
		}
	}
	table := tableOf(t, sources)
	if n := strings.Count(table, "2 of 8 launches of old not counted"); n != 1 {
		t.Errorf("%d times:\n%s", n, table)
	}
}

// A note on several cells of a block is printed once.
func TestEqualRemarksOfABlockAreJoined(t *testing.T) {
	sources := []compare.Source{campaign("old", 1, 1), campaign("new", 1, 1)}
	for i := range sources {
		for j := range sources[i].File.Points {
			p := &sources[i].File.Points[j]
			if p.DistanceBefore = 40e-9; i == 0 && p.Run == sources[0].File.Points[0].Run {
				p.DistanceBefore = 400e-9
			}
		}
	}
	table := tableOf(t, sources)
	if n := strings.Count(table, "1 of 8 launches of old not counted"); n != 1 || !strings.Contains(table, " and 1 more: 1 of 8") {
		t.Errorf("%d times:\n%s", n, table)
	}
}

// Names of records are not interpreted in the comment of a pull request or in a spreadsheet.
func TestHostileNames(t *testing.T) {
	evil := "=x](http://evil.example) ![i](x) `c` @everyone\n# Heading | <b>"
	sides := []compare.Source{campaign("old", 1), campaign("new", 1.05)}
	for _, s := range sides {
		for i := range s.File.Points {
			s.File.Points[i].Bench = evil
		}
	}
	r := compared(t, sides, compare.Options{Gate: true})
	var md, table bytes.Buffer
	if err := errors.Join(comparison.Markdown(&md, r), comparison.CSV(&table, r)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(md.String(), `\`+"`c"+`\`+"`") {
		t.Errorf("the name is missing:\n%s", md.String())
	}
	for _, markup := range []string{"x](http", " ![", " `c`", "@everyone", "\n# Heading", "<b>"} {
		if strings.Contains(md.String(), markup) {
			t.Errorf("a name is taken for markup: %q in\n%s", markup, md.String())
		}
	}
	rows, err := csv.NewReader(&table).ReadAll()
	if err != nil || !strings.HasPrefix(rows[1][0], "'=x]") {
		t.Errorf("a name is taken for a formula: %q, %v", rows, err)
	}
}
