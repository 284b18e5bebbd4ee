package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/BurntSushi/toml"

	"gobench/compare"
	"gobench/record"
)

// rivals returns alternating launches of gobench and two libraries. times returns the half round
// trip in microseconds and the distance of the cores in seconds, by program and launch.
func rivals(launches int, times map[string]func(launch int) (us, distance float64)) compare.Source {
	file := &record.File{}
	begin := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	n := 0
	for launch := 1; launch <= launches; launch++ {
		for _, name := range []string{"gobench", "A", "B"} {
			if times[name] == nil {
				continue
			}
			us, distance := times[name](launch)
			n++
			at := begin.Add(time.Duration(n) * time.Second)
			run := record.Run{ID: fmt.Sprintf("r%d", n), Time: at, Command: []string{"x"}, Job: record.Job{Launcher: "local", Ranks: 2}}
			p := record.Point{Run: run.ID, Time: at, Bench: "pingpong", Transport: "smem", Level: "comm", Size: 8, Ranks: 2, RankKind: "process", Iterations: 100, Launch: launch, Block: launch,
				Duration: 0.25, DistanceBefore: distance, DistanceAfter: distance, Amount: 8, Metrics: record.ValuesOf(map[string]record.Value{
					"half_rtt_s": {Median: us * 1e-6, N: 100}, "bandwidth_Bps": {Median: 8 / (us * 1e-6), N: 100}})}
			if name == "gobench" {
				p.Algorithm, p.Options = fmt.Sprint("a", launch%2), map[string]string{"loop": "native"}
			} else {
				p.Library, p.Level = name, "raw"
			}
			file.Runs, file.Points = append(file.Runs, run), append(file.Points, p)
			file.Launches = append(file.Launches, record.Launch{Run: run.ID, Time: at.Add(-time.Second / 2), Command: []string{"x"}, Launch: launch, Block: launch, Duration: 1.5, Memory: 3 << 20})
		}
	}
	return compare.Source{Name: "x", File: file}
}

func constant(us float64) func(int) (float64, float64) {
	return func(int) (float64, float64) { return us, 30e-9 }
}

// A target is judged against the fastest rival, in the direction of its metric. It is open if
// launches are too few or a cell has no rival.
func TestTargets(t *testing.T) {
	all := rivals(7, map[string]func(int) (float64, float64){"gobench": constant(1), "A": constant(4), "B": constant(2)})
	few := rivals(3, map[string]func(int) (float64, float64){"gobench": constant(1), "B": constant(2)})
	alone := rivals(7, map[string]func(int) (float64, float64){"gobench": constant(1)})
	far := rivals(14, map[string]func(int) (float64, float64){ // every other launch on far cores
		"gobench": func(n int) (float64, float64) { return 1, []float64{300e-9, 30e-9}[n%2] },
		"B": func(n int) (float64, float64) {
			if n%2 == 0 {
				return 20, 300e-9
			}
			return 2, 30e-9
		}})
	lucky := rivals(7, map[string]func(int) (float64, float64){"gobench": constant(1), "A": constant(4), "B": constant(2)})
	lucky.File.Points = slices.DeleteFunc(lucky.File.Points, func(p record.Point) bool { return p.Library == "B" && p.Launch > 2 })
	apart := rivals(7, map[string]func(int) (float64, float64){"gobench": constant(1), "B": func(int) (float64, float64) { return 2, 300e-9 }})
	parted := rivals(7, map[string]func(int) (float64, float64){"gobench": constant(1), "B": constant(2)})
	for _, p := range parted.File.Points { // the other part of each launch was on far cores
		p.DistanceBefore, p.DistanceAfter, p.StateShare, p.StateDistance = 300e-9, 300e-9, 0.5, 300e-9
		parted.File.Points = append(parted.File.Points, p)
	}
	minor := rivals(7, map[string]func(int) (float64, float64){"gobench": constant(1), "B": constant(2)})
	for i, p := range minor.File.Points { // a small part of each launch was on far cores
		minor.File.Points[i].StateShare, minor.File.Points[i].StateDistance = 0.91, 30e-9
		p.StateShare, p.StateDistance = 0.09, 300e-9
		p.Metrics = record.ValuesOf(map[string]record.Value{"half_rtt_s": {Median: 4 * p.Metrics.Median("half_rtt_s"), N: 9}})
		if p.Library == "" {
			minor.File.Points = append(minor.File.Points, p)
		}
	}
	variants := rivals(7, map[string]func(int) (float64, float64){"gobench": constant(1), "B": constant(0.8)})
	for _, p := range variants.File.Points { // of half the time, with more samples
		if p.Library == "" {
			p.Level, p.Iterations, p.Metrics = "device", 200, record.ValuesOf(map[string]record.Value{"half_rtt_s": {Median: 0.5e-6, N: 200}})
			variants.File.Points = append(variants.File.Points, p)
		}
	}
	distant := rivals(7, map[string]func(int) (float64, float64){"gobench": constant(1), "A": constant(4), "B": func(int) (float64, float64) { return 2, 300e-9 }})
	failing := rivals(7, map[string]func(int) (float64, float64){"gobench": constant(1), "A": constant(4), "B": constant(2)})
	for _, p := range failing.File.Points {
		if p.Size = 64; p.Library != "" {
			failing.File.Points = append(failing.File.Points, p)
		}
	}
	near := func(us float64, nth int) func(int) (float64, float64) { // on near cores in each nth launch
		return func(n int) (float64, float64) {
			if n%nth == 0 {
				return us, 30e-9
			}
			return 10 * us, 300e-9
		}
	}
	mixed := rivals(18, map[string]func(int) (float64, float64){"gobench": near(0.9, 2), "A": near(1, 3), "B": near(2, 1)})
	known := rivals(7, map[string]func(int) (float64, float64){"gobench": constant(1), "B": constant(2)})
	known.File.Runs[0].MinDistance = 7e-9 // of this machine: the launches were on far cores
	for _, c := range []struct {
		name, table string
		in          compare.Source
		word, text  string
	}{
		{"a time is low enough", `rivals = ["A", "B"]` + "\nratio = 0.5", all, "met", "0.50 [0.50, 0.50] of B, n=7"},
		{"a time is too high", `rivals = ["A", "B"]` + "\nratio = 0.49", all, "missed", "0.50 [0.50, 0.50] of B, n=7"},
		{"one of the rivals only", `rivals = "A"` + "\nratio = 0.25", all, "met", "0.25 [0.25, 0.25] of A, n=7"},
		{"a rate is high enough", `rivals = ["A", "B"]` + "\nmetric = \"bandwidth\"\nratio = 1.9", all, "met", "2.00 [2.00, 2.00] of B, n=7"},
		{"a rate is too low", `rivals = ["A", "B"]` + "\nmetric = \"bandwidth\"\nratio = 2.1", all, "missed", "2.00"},
		{"the mean", `rivals = ["A", "B"]` + "\nmean = 0.6", all, "met", "0.500 over 1 cells"},
		{"an option of gobench", `options = "loop=go"` + "\n" + `rivals = ["A", "B"]` + "\nratio = 0.5", all, "open", "nothing to compare"},
		{"too few launches", `rivals = "B"` + "\nratio = 0.6", few, "open", "0.50"},
		{"the mean and each cell", `rivals = ["A", "B"]` + "\nmean = 0.6\nratio = 0.4", all, "missed", "0.500 over 1 cells; 0.50 [0.50, 0.50] of B, n=7"},
		{"a rival with two launches beside one with seven", `rivals = ["A", "B"]` + "\nratio = 0.6", lucky, "open", "0.50 [0.50, 0.50] of B, n=2"},
		{"no rival", `rivals = "B"` + "\nratio = 0.6", alone, "open", "nothing to compare; without B (no launches)"},
		{"a rival that could not be run", `rivals = ["A", "B", "C"]` + "\nratio = 0.6", all, "met", "0.50 [0.50, 0.50] of B, n=7; without C (no launches)"},
		{"a rival without near cores", `rivals = ["A", "B"]` + "\nratio = 0.6\ncores = \"near\"", distant, "open", "nothing to compare in 1 of 1 cells: pingpong 8 B without B"},
		{"a cell that only a rival has", `rivals = ["A", "B"]` + "\nratio = 0.6", failing, "open", "nothing to compare in 1 of 2 cells: pingpong 64 B without gobench"},
		{"the fastest by the ratio in one state", `rivals = ["A", "B"]` + "\nratio = 0.6", mixed, "missed", "0.90"},
		{"near cores only", `rivals = "B"` + "\nratio = 0.5\ncores = \"near\"", far, "met", "0.50 [0.50, 0.50] of B, n=7"},
		{"no near cores: nearer ones are known", `rivals = "B"` + "\nratio = 0.5\ncores = \"near\"", known, "open", "nothing"},
		{"far cores: nearer ones are known", `rivals = "B"` + "\nratio = 0.5\ncores = \"far\"", known, "met", "0.50 [0.50, 0.50] of B, n=7"},
		{"of any state", `rivals = "B"` + "\nratio = 0.5\ncores = \"any\"", apart, "met", "0.50 [0.50, 0.50] of B, n=7"},
		{"of any state, two in one launch", `rivals = "B"` + "\nratio = 0.5\ncores = \"any\"", parted, "met", "0.50 [0.50, 0.50] of B, n=7"},
		{"of any state, a small part in another", `rivals = "B"` + "\nratio = 0.5\ncores = \"any\"", minor, "met", "0.50 [0.50, 0.50] of B, n=7"},
		{"far cores only", `rivals = "B"` + "\nratio = 0.06\ncores = \"far\"", far, "met", "0.05 [0.05, 0.05] of B, n=7"},
		{"no state of the cores in common", `rivals = "B"` + "\nratio = 0.5", apart, "open", "nothing to compare in 1 of 1 cells"},
		{"two levels in one launch", `rivals = "B"` + "\nratio = 0.9", variants, "missed", "0.94 [0.94, 0.94] of B, n=7"},
		{"one of two levels", `level = "device"` + "\n" + `rivals = "B"` + "\nratio = 0.9", variants, "met", "0.62 [0.62, 0.62] of B, n=7"},
		{"two levels, of any state", `rivals = "B"` + "\nratio = 0.9\ncores = \"any\"", variants, "missed", "0.94 [0.94, 0.94] of B, n=7"},
		{"two levels, an absolute time", "max = 0.7e-6", variants, "missed", "0.75 us, n=7"},
		{"another level", `level = "raw"` + "\nrivals = \"B\"\nratio = 0.5", all, "open", "nothing to compare"},
		{"an absolute time", "max = 2e-6", all, "met", "1 us, n=7"},
		{"an absolute time that is too long", "max = 0.9e-6", all, "missed", "1 us, n=7"},
		{"the time of a launch", "metric = \"launch\"\nmax = 2.0", all, "met", "1.5 s, n=7"},
		{"the time of the first row", "metric = \"first-row\"\nmax = 0.7", all, "missed", "0.75 s, n=7"},
		{"memory", "metric = \"memory\"\nmax = 4e6", all, "met", "3 MiB, n=7"},
		{"a launch against rivals", "metric = \"launch\"\nrivals = [\"A\", \"B\"]\nratio = 1.0", all, "met", "1.00"},
		{"a metric that was not measured", "metric = \"global\"\nmax = 1.0", all, "open", "nothing was measured"},
		{"a size that nobody has measured", `bench = ["pingpong", "uniband"]` + "\nsizes = [8, 64]\nrivals = [\"A\", \"B\"]\nratio = 0.5", all, "open", "0.50 [0.50, 0.50] of B, n=7; nobody has measured uniband smem 8 B, pingpong smem 64 B, uniband smem 64 B"},
		{"an absolute time of two sizes", "sizes = [8, 64]\nmax = 2e-6", all, "open", "1 us, n=7; nobody has measured smem 64 B"},
		{"nothing", "bench = \"bcast\"\nmax = 1.0", all, "open", "nothing was measured"},
	} {
		targets, err := parse([]byte("[[target]]\nname = \"x\"\ntransport = \"smem\"\n"+c.table+"\n"), "x.toml")
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		o := judge([]compare.Source{c.in}, targets)[0]
		if o.Word() != c.word || !strings.HasPrefix(o.Measured, c.text) {
			t.Errorf("%s: %s: %s; want %s: %s", c.name, o.Word(), o.Measured, c.word, c.text)
		}
	}
}

// A target with cores = "each" is judged for near and for far cores, and is open for a state
// without launches.
func TestTargetOfEachPair(t *testing.T) {
	near := rivals(7, map[string]func(int) (float64, float64){"gobench": constant(1), "B": constant(2)})
	both := rivals(14, map[string]func(int) (float64, float64){
		"gobench": func(n int) (float64, float64) { return []float64{9, 1}[n%2], []float64{300e-9, 30e-9}[n%2] },
		"B":       func(n int) (float64, float64) { return []float64{10, 2}[n%2], []float64{300e-9, 30e-9}[n%2] }})
	targets, err := parse([]byte("[[target]]\nname = \"x\"\nrivals = \"B\"\nratio = 0.6\ncores = \"each\"\n"), "x.toml")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		in   compare.Source
		want string
	}{{both, "x (near cores) met, x (far cores) missed"}, {near, "x (near cores) met, x (far cores) open"}} {
		var got []string
		for _, o := range judge([]compare.Source{c.in}, targets) {
			got = append(got, o.Target.Name+" "+o.Word())
		}
		if text := strings.Join(got, ", "); text != c.want {
			t.Errorf("%s, want %s", text, c.want)
		}
	}
}

func TestMistakesInTargets(t *testing.T) {
	for table, want := range map[string]string{
		"ratio = 1.0\nrivals = \"A\"":                       "it has no name",
		"name = \"x\"":                                      "want ratio, mean or both, or max",
		"name = \"x\"\nratio = 1.0\nmax = 1.0":              "want ratio, mean or both, or max",
		"name = \"x\"\nratio = 1.0":                         "ratio and mean need rivals",
		"name = \"x\"\nmax = 1.0\nrivals = \"A\"":           "ratio and mean need rivals",
		"name = \"x\"\nmax = -1.0":                          "-1 is not a valid bound",
		"name = \"x\"\nmax = nan":                           "NaN is not a valid bound",
		"name = \"x\"\nmax = 1.0\nmetric = \"speed\"":       `unknown metric "speed"`,
		"name = \"x\"\nmax = 1.0\ncores = \"middle\"":       `cores = "middle": want near, far, each or any`,
		"name = \"x\"\nmax = 1.0\nbench = 7":                "7 is not a string",
		"name = \"x\"\nmax = 1.0\nsize = [8]":               `unknown key "target.size"`,
		"name = \"x\"\nmax = 1.0\nbench = [\"a\", [\"b\"]]": "is not a string",
	} {
		_, err := parse([]byte("[[target]]\n"+table+"\n"), "x.toml")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", table, err)
		}
	}
}

// The targets of this project are valid, and each rival is a library of a program of the sweep of
// the same name.
func TestRivalsOfTargetsAreMeasured(t *testing.T) {
	files, _ := filepath.Glob("*.toml")
	if len(files) < 5 {
		t.Fatalf("%d files", len(files))
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		targets, err := parse(text, file)
		if err != nil {
			t.Error(err)
			continue
		}
		var sweep struct {
			Program []struct {
				Library words `toml:"library"`
			} `toml:"program"`
		}
		if _, err := toml.DecodeFile(filepath.Join("../../configs/rivals", file), &sweep); err != nil {
			t.Fatal(err)
		}
		for _, target := range targets {
			for _, rival := range target.Rivals {
				if !slices.ContainsFunc(sweep.Program, func(p struct {
					Library words `toml:"library"`
				}) bool {
					return slices.Contains(p.Library, rival)
				}) {
					t.Errorf("%s: target %q has the rival %q, which no program of configs/rivals/%s is", file, target.Name, rival, file)
				}
			}
		}
	}
}

// The command prints a line for each target, and refuses a file without targets.
func TestCommand(t *testing.T) {
	dir := t.TempDir()
	records, targets := filepath.Join(dir, "r.jsonl"), filepath.Join(dir, "t.toml")
	f, err := os.Create(records)
	if err != nil {
		t.Fatal(err)
	}
	w := record.NewWriter(f)
	in := rivals(7, map[string]func(int) (float64, float64){"gobench": constant(1), "B": constant(2)}).File
	for i := range in.Runs {
		if err := errors.Join(w.WriteRun(&in.Runs[i]), w.WritePoint(&in.Points[i])); err != nil {
			t.Fatal(err)
		}
	}
	f.Close()
	const met, open = "[[target]]\nname = \"one\"\nrivals = \"B\"\nratio = 0.6\n", "[[target]]\nname = \"two\"\nrivals = \"A\"\nratio = 1.0\n"
	for text, want := range map[string]string{met: "met one", met + open: "met one, open two", met + "[[target]]\nname = \"three\"\nmax = 1e-9\n": "met one, missed three", "": ""} {
		if err := os.WriteFile(targets, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		err := run(targets, []string{records}, &out)
		var got []string
		for line := range strings.Lines(out.String()) {
			if verdict, _, ok := strings.Cut(line, ": "); ok && !strings.HasPrefix(line, "#") {
				got = append(got, strings.Join(strings.Fields(verdict), " "))
			}
		}
		if strings.Join(got, ", ") != want || (err != nil) != (want == "") {
			t.Errorf("%v, want %s\n%s", err, want, out.String())
		}
	}
}
