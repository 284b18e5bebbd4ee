package glossary

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gobench/compare"
	"gobench/device"
	"gobench/internal/bench/state"
	_ "gobench/kernels/all"
	"gobench/kernels/application"
	"gobench/kernels/npb/all"
	"gobench/record"
	"gobench/report"
	_ "gobench/transports/all"
)

func TestEveryWordIsExplainedOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range Entries() {
		if seen[e.Name] {
			t.Errorf("%s is explained twice", e.Name)
		}
		seen[e.Name] = true
		if e.About == "" || strings.Contains(e.About, "\n") {
			t.Errorf("%s is about %q", e.Name, e.About)
		}
		if (e.Kind == "metric" || e.Kind == "benchmark" || e.Kind == "operation") && (e.Facts[0][0] != "formula" || e.Facts[0][1] == "") {
			t.Errorf("%s has no formula", e.Name)
		}
		found, err := Lookup(strings.ToUpper(e.Name))
		if err != nil || found.Name != e.Name {
			t.Errorf("%s is found as %q (%v)", e.Name, found.Name, err)
		}
	}
	for _, name := range []string{"half_rtt", "bandwidth", "message_rate", "pingpong", "uniband", "allreduce", "busbw", "rabenseifner", "smem-copy"} {
		if !seen[name] {
			t.Errorf("%s is missing", name)
		}
	}
}

// The head of a column is explained as the table uses it, also where a metric has the same name.
func TestColumnsMeanWhatTheTableMeans(t *testing.T) {
	for _, head := range []string{"t[usec]", "#t[usec]"} {
		e, err := Lookup(head)
		if err != nil || e.Kind != "word" || !strings.Contains(e.About, "half_rtt") {
			t.Errorf("%s: %+v, %v", head, e, err)
		}
	}
	e, err := Lookup("t")
	if err != nil || e.Kind != "metric" || !slices.ContainsFunc(e.Facts, func(f [2]string) bool { return f[0] == inTables && strings.Contains(f[1], "half_rtt") }) {
		t.Errorf("t: %+v, %v", e, err)
	}
}

// The columns of the golden screens, the words of their verdicts and the signs beside their numbers
// are explained, whichever columns a screen will have.
func TestWordsOfScreensAreExplained(t *testing.T) {
	directory := filepath.Join("..", "..", "..", "..", "report", "testdata")
	files, err := filepath.Glob(filepath.Join(directory, "screen-*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	size := regexp.MustCompile(`^[0-9.]+ ([KMG]i)?B$|^[0-9]`)
	verdict := regexp.MustCompile(`^[A-Z]{3,} `)
	seen := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(text), "\n")
		for i, line := range lines {
			if verdict.MatchString(line) {
				seen[strings.Fields(line)[0]] = true
				continue
			}
			// A heading follows a blank line or a heading of several tables, and has columns.
			if columns := regexp.MustCompile(` {2,}`).Split(strings.TrimSpace(line), -1); len(columns) > 1 && i > 0 && (lines[i-1] == "" || strings.HasPrefix(line, "   #bytes")) && !strings.Contains(line, "gobench ") {
				for _, c := range columns {
					for _, word := range strings.Split(strings.TrimPrefix(c, "#bytes "), ", ") {
						if !size.MatchString(word) && !strings.HasPrefix(word, "#") {
							seen[word] = true
						}
					}
				}
			}
		}
	}
	for _, want := range []string{"latency", "peak", "± %", "FAIR", "USUAL", "verified", "algorithm"} {
		if !seen[want] {
			t.Errorf("%s was not found in the screens: %v", want, seen)
		}
	}
	for word := range seen {
		if _, err := Lookup(word); err != nil {
			t.Errorf("%q: %v", word, err)
		}
	}
}

// Every column of a table, every state of the cores, and the words of legends, warnings and help
// texts are explained.
func TestWordsOfTablesAreExplained(t *testing.T) {
	words := append(report.Columns(), report.ScreenWords()...)
	for in := range state.Count {
		words = append(words, strings.Fields(in.String())...)
	}
	for _, k := range all.Kernels() {
		words = append(words, k.Name)
	}
	words = append(words, strings.Fields(`weak productivity phases launch round series throughput batch batched eager level cell floor inconclusive smem tcp verbs
		oversubscribed implausible self-test precision budget noise steal raw device comm warm cold skew run block class fdtd interval rendezvous`)...)
	for _, driver := range device.Drivers() {
		words = append(words, driver.Name())
		for _, o := range driver.Options() {
			words = append(words, o.Name)
		}
	}
	for _, a := range application.Applications() {
		words = append(words, a.Name)
	}
	for _, v := range []compare.Verdict{compare.Slower, compare.Faster, compare.Same, compare.Unclear} {
		words = append(words, string(v))
	}
	for _, f := range record.Factors {
		if f.Role == record.Asked || f.Role == record.Chosen {
			words = append(words, strings.TrimSuffix(f.Name, "_B"))
		}
	}
	words = append(words, "rndv-pipeline", "rndv-split-cma", "rndv-put-stream", "in place", "in_place", "effective sample size", "base", "new", "ratio", "p",
		"Holm", "gate", "multimodal", "preempted", "clock", "caveat", "label", "tag", "sweep", "record", "peer", "host", "median",
		"#bytes", "#repetitions", "t[usec]", "±[%]", "cores[ns]", "near-slow", "33:near-slow:68%", "154:far:1%", "oversubscribed:slow", "drift", "correlation")
	for _, w := range words {
		if w == "unknown" { // nothing is printed
			continue
		}
		if _, err := Lookup(w); err != nil {
			t.Errorf("%s: %v", w, err)
		}
	}
}
