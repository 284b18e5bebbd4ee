package document_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gobench/internal/report/cell"
	"gobench/internal/report/document"
	"gobench/internal/report/figure/figuretest"
	"gobench/nearest"
	"gobench/record"
)

// part returns the text of a part of the document of a set.
func part(t *testing.T, s *cell.Set, name, ext string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x"+ext)
	if _, _, err := document.Write(s, document.Output{Path: path, Tables: []string{name}}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func has(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("no %q in %s", w, text)
		}
	}
}

// Launches of known times have the median and the half width of the interval that the order
// statistics give, in one unit for the whole table, in all formats.
func TestResultsOfAPaper(t *testing.T) {
	f := figuretest.PingPong(8)
	for i := range f.Points {
		p := &f.Points[i]
		p.Time = p.Time.Add(1e9)
		v := p.Metrics.Get("half_rtt_s")
		v.Median = []float64{2.04, 1.99, 2.02, 1.97, 2.01, 1.98, 2.03, 2}[p.Launch-1] * 1e-6
		if p.Size == 4<<20 {
			v.Median *= 1e4 // 20 ms, in µs as the others
		}
		if p.Size == 16 {
			v.Median = 12.25e-6 // of each launch
		}
		p.Metrics.Set("half_rtt_s", v)
	}
	s := set(f)
	has(t, part(t, s, "results", ".tex"), `% Ping{-}pong: half\_rtt, \ensuremath{\mu}s`, `size & smem & tcp \\`, `8 B & 2.005 \ensuremath{\pm} 0.0`, `4 MiB & 20050 \ensuremath{\pm} `, `\toprule`)
	has(t, part(t, s, "results", ".md"), "| 8 B | 2.005 ± 0.0", "| 16 B | 12.25 ± 0 |", "larger half of its 95 % interval")
	has(t, part(t, s, "results", ".csv"), "benchmark,metric,unit,size,smem,± smem,tcp,± tcp\n", "\npingpong,half_rtt,µs,8 B,2.005,0.0")
	formula := figuretest.PingPong(8)
	for i := range formula.Points {
		formula.Points[i].Transport = "=1+" + formula.Points[i].Transport
	}
	has(t, part(t, set(formula), "results", ".csv"), ",'=1+smem,± =1+smem,")
	if few := part(t, set(figuretest.PingPong(3)), "results", ".md"); strings.Contains(strings.Split(few, "Median over")[0], "±") {
		t.Errorf("three launches have ±: %s", few)
	}
}

// The columns of a comparison have one unit, and rates are apart from times.
func TestComparisonOfAPaper(t *testing.T) {
	text := part(t, set(figuretest.PingPong(8)), "comparison", ".md")
	has(t, text, "| cell | smem, µs | tcp, µs | ratio | 95 % CI |")
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "| ping-pong") && (strings.Contains(line, "µs") || strings.Contains(line, "B/s")) {
			t.Errorf("a unit in a row: %s", line)
		}
	}
}

// Texts of records cannot run commands of TeX.
func TestTeXIsEscaped(t *testing.T) {
	f := figuretest.PingPong(1)
	f.Runs[0].Hosts = []any{map[string]any{"hostname": `\input{x}%$&#_^~`, "kernel": "漢"}}
	text := part(t, set(f), "machines", ".tex")
	has(t, text, `\textbackslash{}input\{x\}\%\$\&\#\_\textasciicircum{}\textasciitilde{}`, "kernel & ?")
}

// The paragraph says what the records say: launches, seed, order, cores, clock, versions, what is
// left out. Records that do not state a thing have no sentence on it.
func TestMethodsSayWhatRecordsSay(t *testing.T) {
	f := figuretest.PingPong(8)
	for i := range f.Runs {
		r := &f.Runs[i]
		r.Job.Cores = []int{0, 1}
		r.Clocks = []record.Clock{{Source: "CLOCK_MONOTONIC", Cost: 21e-9}, {Rank: 1, Source: "CLOCK_MONOTONIC", Cost: 24e-9}}
		f.Launches = append(f.Launches, record.Launch{Run: r.ID, Time: r.Time, Sweep: "s", Command: []string{"p2p"}, Launch: i + 1, Block: i + 1, Seed: 77})
	}
	f.Runs[2].Noise = []record.Noise{{Duration: 0.02, Lost: 0.4}}
	for i := range f.Points {
		f.Points[i].Options = map[string]string{"library": "MPICH 4.0.2"}
	}
	f.Warnings = []string{"line 7 is torn"}
	has(t, part(t, set(f), "methods", ".md"), "Ping-pong was measured on 2026-01-02 on n1, Test CPU, 16 cores, kernel 6.1 by gobench 0123456789ab, go1.26 over MPICH 4.0.2.",
		"in 8 launches, each of new processes, in 8 blocks of random order (seed 77).", "Ranks: pinned to cores 0,1.", "Clock: CLOCK\\_MONOTONIC, whose reading costs 21 to 24 ns.",
		"In each launch of ping-pong: median of ", "Left out or incomplete: line 7 is torn.", "Before 1 of 8 launches a core lost up to 40 % of its time")
	bare := figuretest.PingPong(1)
	text := part(t, set(bare), "methods", ".tex")
	for _, word := range []string{"seed", "Clock", "pinned", "Left out", "lost"} {
		if strings.Contains(text, word) {
			t.Errorf("%q is in no record: %s", word, text)
		}
	}
}

func TestPartsThatCannotBeWritten(t *testing.T) {
	s := set(figuretest.PingPong(1))
	_, _, err := document.Write(s, document.Output{Path: filepath.Join(t.TempDir(), "x.tex"), Tables: []string{"machine"}})
	if _, ok := errors.AsType[*nearest.UnknownError](err); !ok || !strings.Contains(err.Error(), "machines") {
		t.Errorf("error %v", err)
	}
	_, _, err = document.Write(s, document.Output{Path: filepath.Join(t.TempDir(), "x.png"), Tables: []string{"machines"}})
	if _, ok := errors.AsType[*document.FormatError](err); !ok {
		t.Errorf("error %v", err)
	}
	alone := figuretest.PingPong(1)
	for i := range alone.Points {
		alone.Points[i].Transport = "smem"
	}
	_, _, err = document.Write(set(alone), document.Output{Path: filepath.Join(t.TempDir(), "x.tex"), Tables: []string{"comparison"}})
	if _, ok := errors.AsType[*document.EmptyError](err); !ok {
		t.Errorf("error %v", err)
	}
}
