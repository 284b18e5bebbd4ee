package report

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"gobench/record"
)

var update = flag.Bool("update", false, "rewrite the golden files from what the code prints now")

// rate is the value of a rate, or of a time of events timed together.
func rate(median, half float64, n int) record.Value {
	return record.Value{Median: median, Lo: median - half, Hi: median + half, Confidence: 0.95, N: n}
}

// bandwidth returns the bandwidth of a message of size bytes in time t.
func bandwidth(size int64, t record.Value) record.Value {
	return record.Value{Median: float64(size) / t.Median, Lo: float64(size) / t.Hi, Hi: float64(size) / t.Lo, Confidence: t.Confidence, N: t.N}
}

// single is the value of a time of events timed alone.
func single(median, half float64, n int) record.Value {
	v := rate(median, half, n)
	v.Min, v.P50, v.P90, v.P99, v.P999, v.Max = 0.9*median, median, 1.2*median, 1.4*median, 1.5*median, 2*median
	return v
}

// rows returns the rows of a small command of eight launches with all features of a table.
func rows() []record.Point {
	list := points()
	for i := range list {
		p := &list[i]
		p.Launches = 8
		for key, v := range p.Metrics.All() {
			v.Within = 0.0035
			p.Metrics.Set(key, v)
		}
		if p.DistanceBefore > 0 {
			p.StateDistance, p.StateShare = 28e-9, 1
		}
		if p.Size == 8 {
			p.StateShare, p.Launches = 0.7, 7
		}
	}
	list[3].StateDistance = 161e-9
	return list
}

// points returns the points of one of its launches.
func points() []record.Point {
	pingpong := record.Point{Bench: "pingpong", Transport: "smem", Level: "device", Ranks: 2, RankKind: "process", Cores: []int{0, 1}, Precision: 0.02,
		Method: "half_rtt = t / 2"}
	var list []record.Point
	for _, row := range []struct {
		size       int64
		path       string
		t, half    float64
		n          int
		iterations int64
		warnings   []string
	}{
		{0, "eager", 71.2e-9, 0.6e-9, 512, 51200, nil},
		{8, "eager", 73.9e-9, 2.9e-9, 512, 51200, []string{"the cores moved: their distance was 28 ns before and 161 ns after", "precision not reached: the median is known to 3.9 %"}},
		{65536, "rndv-split-cma", 4.031e-6, 0.04e-6, 768, 768, nil},
		{4 << 20, "rndv-split-cma-with-more", 183.502e-6, 1.8e-6, 30, 30, []string{"the sample has two modes", "precision not reached: the median is known to 2.1 %"}},
	} {
		p := pingpong
		p.Size, p.Path, p.Iterations, p.Warnings = row.size, row.path, row.iterations, row.warnings
		p.Method += fmt.Sprintf("; median of %d samples; data checked outside the timed region", row.n)
		p.DistanceBefore, p.DistanceAfter = 28e-9, 28e-9
		if row.size == 8 {
			p.DistanceAfter = 161e-9
		}
		t := single(row.t, row.half, row.n)
		if row.size < 100 {
			p.Batched, t = 100, rate(row.t, row.half, row.n)
		}
		p.Metrics = record.ValuesOf(map[string]record.Value{"half_rtt_s": t})
		if row.size > 0 {
			p.Amount = row.size
			p.Metrics.Set("bandwidth_Bps", bandwidth(row.size, t))
		}
		list = append(list, p)
	}
	list = append(list, record.Point{Bench: "uniband", Transport: "tcp", Level: "raw", Ranks: 2, RankKind: "goroutine", Size: 1024, Window: 64,
		Iterations: 640, Path: "stream", Precision: 0.02,
		Metrics: record.ValuesOf(map[string]record.Value{"bandwidth_Bps": rate(1024*2.3e6, 1024e4, 640), "message_rate_per_s": rate(2.3e6, 1e4, 640)})})
	return list
}

func draw(t *testing.T, term Terminal) string {
	t.Helper()
	var b bytes.Buffer
	table := NewTable(&b, term)
	table.remarks.scale.Distance = 28e-9
	for _, p := range rows() {
		if err := table.Point(p); err != nil {
			t.Fatal(err)
		}
	}
	if err := table.End(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// golden compares a text with testdata/NAME.txt.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTableLooksAsInTheGoldenFile(t *testing.T) {
	for _, width := range []int{0, 80, 60} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			golden(t, fmt.Sprintf("table-%d", width), draw(t, Terminal{Width: width}))
		})
	}
}

func TestTableFitsTheTerminal(t *testing.T) {
	for _, width := range []int{60, 80, 100, 132} {
		for _, line := range strings.Split(draw(t, Terminal{Width: width}), "\n") {
			if n := utf8.RuneCountInString(line); n > width {
				t.Errorf("%d characters on a terminal of %d:\n%s", n, width, line)
			}
		}
	}
}

// Rows that differ in the state of the cores differ where the terminal is too narrow for its
// column.
func TestNarrowTableShowsTheStateOfTheCores(t *testing.T) {
	near := rows()[0]
	far := near
	far.StateDistance = 161e-9
	var b strings.Builder
	table := NewTable(&b, Terminal{Width: 40})
	table.remarks.scale.Distance = 28e-9
	for _, p := range []record.Point{near, far, far, near} {
		if err := table.Point(p); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	_, text, _ := strings.Cut(b.String(), "#bytes")
	for _, line := range strings.Split(text, "\n")[1:] {
		got = append(got, strings.Join(strings.Fields(line), " "))
	}
	const row = "0 0.071 0.8 -"
	if diff := cmp.Diff([]string{"# cores near", row, "# cores far", row, row, "# cores near", row, ""}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Columns are words, so that awk and gnuplot count them: a row has as many as the heading above.
func TestOnlyRowsDoNotBeginWithASharp(t *testing.T) {
	count, heading := 0, ""
	for _, line := range strings.Split(draw(t, Terminal{}), "\n") {
		if strings.HasPrefix(line, " ") && strings.HasPrefix(strings.TrimSpace(line), "#") {
			heading = line
		}
		if line == "" || strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		count++
		if len(strings.Fields(line)) != len(strings.Fields(heading)) {
			t.Errorf("a row has other columns than its heading:\n%s\n%s", heading, line)
		}
	}
	if count != len(rows()) {
		t.Errorf("%d rows, want %d", count, len(rows()))
	}
}

func TestColourOnlyWhereAskedFor(t *testing.T) {
	if s := draw(t, Terminal{Width: 80}); strings.Contains(s, "\x1b") {
		t.Errorf("control codes in %q", s)
	}
	if s := draw(t, Terminal{Width: 80, Color: true}); !strings.Contains(s, "\x1b[1m") {
		t.Errorf("no bold heading in %q", s)
	}
}

func TestFormatSize(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 1: "1 B", 1000: "1000 B", 1024: "1 KiB", 1536: "1536 B", 64 << 10: "64 KiB", 4 << 20: "4 MiB", 2 << 30: "2 GiB", 1 << 41: "2048 GiB"} {
		if got := FormatSize(n); got != want {
			t.Errorf("%d: got %s, want %s", n, got, want)
		}
	}
}
