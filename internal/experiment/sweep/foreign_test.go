package sweep

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gobench/internal/exit"
	"gobench/record"
)

// row is a shell command that prints a point.
const row = `echo '{"kind":"point","bench":"pingpong","size_B":8,"batched":4,"half_rtt_s":{"median":2e-07,"n":50}}'`

// beside returns the options of a sweep of the substitute for gobench and of foreign programs,
// which are shell scripts by their names.
func beside(t *testing.T, tables string, scripts map[string]string) Options {
	t.Helper()
	a := asked(t, `"smem"`)
	text, err := os.ReadFile(a.Path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(a.Path, append(text, tables...), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, body := range scripts {
		if err := os.WriteFile(name, []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return a
}

// table returns the table of a foreign program.
func table(library, command string, more ...string) string {
	return fmt.Sprintf("[[program]]\nlibrary = %q\ntransport = \"smem\"\ncommand = %q\n%s\n", library, command, strings.Join(more, "\n"))
}

// Programs that are not gobench run in the same blocks, on the same cores, and their output becomes
// records with the library as a factor.
func TestForeignPrograms(t *testing.T) {
	a := beside(t, table("MPI", "./mpi {plan} {cores} {mode}", `bench = "pingpong"`, `sizes = "8,1024"`, `mode = ["fast", "slow"]`, `env = [["COLOUR=red", "SHAPE={mode}"]]`, `version = "./mpi version"`),
		map[string]string{"mpi": `echo "$@ $COLOUR $SHAPE $GOBENCH_CORES" >> calls; [ "$1" = version ] && echo "MPI 7" && exit; echo "a launcher says hello"; ` + row})
	out := swept(t, a)
	f := recorded(t, a)
	blocks := map[int]int{}
	for _, l := range f.Launches {
		if l.Command[0] == "program" {
			blocks[l.Block]++
		}
	}
	if len(f.Launches) != 6 || blocks[1] != 2 || blocks[2] != 2 {
		t.Fatalf("%d launches, %v\n%s", len(f.Launches), blocks, out)
	}
	if f.Launches[0].Command[0] != "p2p" {
		t.Errorf("%v comes first, and not gobench, whose samples the others take", f.Launches[0].Command)
	}
	for _, p := range f.Points {
		if p.Library == "" {
			continue
		}
		run := f.Run(&p)
		if p.Library != "MPI" || p.Transport != "smem" || p.Ranks != 2 || p.Launch < 1 || p.Block < 1 || p.Seed == 0 || p.Loop == 0 || run.Program.(map[string]any)["version"] != "MPI 7" || run.Hostname() == "" {
			t.Errorf("%+v of %+v", p, run)
		}
	}
	calls, _ := os.ReadFile("calls")
	for _, want := range []string{"pingpong:8:1:1,pingpong:1024:1000:1 ", " fast red fast ", " slow red slow "} {
		if !strings.Contains(string(calls), want) {
			t.Errorf("no %q in %s", want, calls)
		}
	}
	// What is in the file is not launched again.
	if out, err := attempt(t, a); err != nil || !strings.Contains(out, "already contains all launches") {
		t.Errorf("%v\n%s", err, out)
	}
}

// A program that hangs, fails, or prints nothing or other text is reported. The sweep continues,
// and reports at the end which programs are left out.
func TestForeignProgramsThatFail(t *testing.T) {
	cases := map[string]struct{ script, more, why string }{
		"hangs":       {"sleep 1000 & exec sleep 1000", `limit = "50ms"`, "it did not end within 50ms"},
		"fails":       {"echo 'no device' >&2; echo bye >&2; exit 9", "", "it ended with exit code 9: no device ... bye"},
		"dies":        {"kill -9 $$", "", "a signal ended it"},
		"is silent":   {"true", "", "it printed nothing"},
		"is foreign":  {"echo Lorem ipsum", "", "is_foreign: not a log of "},
		"is cut off":  {`echo '{"kind":"point","bench":'`, "", "is_cut_off:1: the row is incomplete"},
		"has no log":  {row, `log = "{dir}/none"`, "it did not write its log: "},
		"no listener": {row + "\n# {port}", `server = "./server {port}"`, "its server ended before it listened on port "},
	}
	tables, scripts := table("Good", "./good"), map[string]string{"good": row, "server": "exit 3"}
	for name, c := range cases {
		file := strings.ReplaceAll(name, " ", "_")
		tables, scripts[file] = tables+table(name, "./"+file, c.more), c.script
	}
	a := beside(t, tables, scripts)
	out, err := attempt(t, a)
	if failed, ok := errors.AsType[*FailedError](err); !ok || failed.Failed != len(cases) || failed.Code != exit.Failed {
		t.Errorf("%v", err)
	}
	if n := len(launched(t, a.File)); n != 4 {
		t.Errorf("%d launches, want 2 of gobench and 2 of the other program", n)
	}
	f := recorded(t, a)
	attempts := map[string]int{}
	for _, one := range f.Failures {
		name := strings.TrimSuffix(one.Name, " over smem")
		attempts[name]++
		if one.Attempt != attempts[name] || one.Launch != 1 || one.Block != 1 || !strings.HasPrefix(one.Why, cases[name].why) || len(one.Command) == 0 {
			t.Errorf("%+v", one)
		}
	}
	left := strings.Join(f.Failed(), "\n")
	for name, c := range cases {
		name += " over smem"
		for _, want := range []string{name + ": " + c.why, name + " is left out: " + c.why, "# left out " + name + ": ", name + " 2"} {
			if !strings.Contains(out, want) {
				t.Errorf("no %q in %s", want, out)
			}
		}
		if want := name + ": 1 of 1 launch failed (3 attempts) and was left out: " + c.why; !strings.Contains(left, want) {
			t.Errorf("no %q in %s", want, left)
		}
	}
	if len(attempts) != len(cases) || len(f.Failures) != 3*len(cases) {
		t.Errorf("failures %v, want one for each of 3 attempts", attempts)
	}
}

// Programs take the samples of ranks that are processes, also if the same cell was measured with
// goroutines since.
func TestSamplesOfProcesses(t *testing.T) {
	s := newSamplings()
	for run, p := range []record.Point{{RankKind: "process", Batched: 100}, {RankKind: "goroutine", Batched: 10}} {
		p.Run, p.Bench, p.Transport, p.Ranks, p.Metrics = fmt.Sprint(run), "barrier", "smem", 4, record.ValuesOf(map[string]record.Value{"global_s": {Median: 1e-6, N: 50}})
		s.add([]record.Point{p})
	}
	if plan, _ := s.plan(&foreign{bench: []string{"barrier"}, transport: "smem", ranks: 4}); plan != "barrier:0:50:100" {
		t.Error(plan)
	}
	// A launch in two states of the cores took the samples of both, of the algorithm with most.
	var launch []record.Point
	for _, n := range []int{35, 20} {
		for _, algorithm := range []string{"a", "b"} {
			p := record.Point{Run: "3", Bench: "barrier", Transport: "smem", Ranks: 4, RankKind: "process", Batched: 100, Algorithm: algorithm, Metrics: record.ValuesOf(map[string]record.Value{"global_s": {Median: 1e-6, N: n}})}
			launch = append(launch, p)
		}
	}
	s.add(launch)
	if plan, _ := s.plan(&foreign{bench: []string{"barrier"}, transport: "smem", ranks: 4}); plan != "barrier:0:55:100" {
		t.Errorf("%s of two states", plan)
	}
}

// A failed run is repeated; a program that worked before is left out of one block only.
func TestAFailedRunIsRepeated(t *testing.T) {
	a := beside(t, table("Flaky", "./flaky"), map[string]string{"flaky": "[ -e once ] || { touch once; exit 1; }\n" + row})
	out := swept(t, a)
	if n := len(launched(t, a.File)); n != 4 || !strings.Contains(out, "were repeated: Flaky over smem 1") {
		t.Errorf("%d launches\n%s", n, out)
	}
	f, err := record.ReadFile(a.File)
	if all := f.Failed(); err != nil || len(all) != 1 || all[0] != "Flaky over smem: 1 of 2 launches failed (1 attempt) and was repeated until it succeeded: it ended with exit code 1" {
		t.Errorf("%v, %q", err, all)
	}
	tally := newTally(9)
	tally.worked["k"] = true
	for i, want := range []string{"left out of this block", "left out of this block", "left out of this block", "is left out: "} {
		if text := tally.fail("k", "x", errors.New("why")); !strings.Contains(text, want) {
			t.Errorf("failure %d: %s", i+1, text)
		}
	}
}

// A program that is not installed is an error of the file, or left out and named.
func TestAProgramThatIsNotInstalled(t *testing.T) {
	a := beside(t, table("Absent", "./nowhere"), nil)
	var usage *exit.UsageError
	_, err := attempt(t, a)
	if !errors.As(err, &usage) || err.Error() != "x.toml:7: Absent over smem: it needs ./nowhere: no such file or directory; skip-unavailable = true leaves it out" &&
		!strings.HasPrefix(err.Error(), "x.toml:7: Absent over smem: it needs ./nowhere: ") {
		t.Errorf("%v", err)
	}
	text, _ := os.ReadFile(a.Path)
	os.WriteFile(a.Path, append([]byte("skip-unavailable = true\n"), text...), 0o644)
	if out, err := attempt(t, a); err != nil || !strings.Contains(out, "# left out Absent over smem: it needs ./nowhere") {
		t.Errorf("%v\n%s", err, out)
	}
}

// Of a command without output the wall time is recorded; two commands without a library are told
// apart by their words.
func TestWallTime(t *testing.T) {
	a := beside(t, "[[program]]\ncommand = [\"./quiet 1\", \"./quiet 2\"]\nimporter = \"time\"\n", map[string]string{"quiet": `sleep 0.0$1`})
	out := swept(t, a)
	f := recorded(t, a)
	libraries := map[string]int{}
	for _, p := range f.Points {
		if p.Library == "" {
			continue
		}
		libraries[p.Library]++
		if smallest := map[string]float64{"./quiet 1": 0.01, "./quiet 2": 0.02}[p.Library]; p.Bench != "command" || p.Ranks != 1 || !(p.Metrics.Median("run_s") >= smallest && smallest > 0) {
			t.Errorf("%+v", p)
		}
	}
	if libraries["./quiet 1"] != 2 || libraries["./quiet 2"] != 2 {
		t.Errorf("%v\n%s", libraries, out)
	}
	if want := ": ./quiet 1\n"; !strings.Contains(out, want) {
		t.Errorf("no %q in\n%s", want, out)
	}
}

// Results of any program are found by an expression, a path of JSON, the formats of hyperfine and
// Go, or its exit code and time. Its setup, cleanup and warm-up run as often as they should.
func TestResultsOfAnyProgram(t *testing.T) {
	for name, c := range map[string]struct {
		script, more, metric string
		median               float64
	}{
		"pattern":   {`echo "took 1.5 ms, then 2.5 ms"`, `pattern = '([0-9.]+) ms'` + "\nunit = \"ms\"", "t_s", 0.002},
		"json":      {`echo '{"results":[{"mean":3}]}'`, "json = \"results[].mean\"\nunit = \"MB/s\"", "bandwidth_Bps", 3e6},
		"hyperfine": {`echo '{"results":[{"command":"x","mean":2,"user":1,"times":[1,2,3]}]}' > $1`, `importer = "hyperfine"` + "\n" + `log = "{dir}/h.json"`, "run_s", 2},
		"go":        {`echo "BenchmarkX 10 1500 ns/op"`, `importer = "go-bench"`, "t_s", 1.5e-6},
		"exit code": {"exit 3", `importer = "time"` + "\nsuccess = \"0,3\"", "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			a := beside(t, table("Own", "./own {dir}/h.json", c.more, `np = 1`, `warmup = 2`, `setup = "echo setup >> said"`, `prepare = "echo prepare >> said"`, `cleanup = "echo cleanup >> said"`),
				map[string]string{"own": "echo run >> said\n" + c.script})
			out := swept(t, a)
			said, _ := os.ReadFile("said")
			if want := "setup" + strings.Repeat(" prepare run", 2+2) + " cleanup"; strings.Join(strings.Fields(string(said)), " ") != want {
				t.Errorf("%q, want %q", said, want)
			}
			f := recorded(t, a)
			n := 0
			for _, p := range f.Points {
				if p.Library != "Own" {
					continue
				}
				if n++; c.metric != "" && p.Metrics.Median(c.metric) != c.median || c.metric == "" && p.Metrics.Median("user_s")+p.Metrics.Median("system_s") <= 0 {
					t.Errorf("%+v", p)
				}
			}
			if n != 2 {
				t.Errorf("%d points\n%s", n, out)
			}
		})
	}
}

// A program whose setup fails is left out, and its cleanup does not run.
func TestASetupThatFails(t *testing.T) {
	a := beside(t, table("Own", "./none", `importer = "time"`, `setup = "echo no compiler >&2; exit 2"`, `cleanup = "touch cleaned"`), nil)
	out, err := attempt(t, a)
	if _, ok := errors.AsType[*FailedError](err); !ok || !strings.Contains(out, `Own over smem is left out: setup "echo no compiler >&2; exit 2": it ended with exit code 2: no compiler`) {
		t.Errorf("%v\n%s", err, out)
	}
	if _, err := os.Stat("cleaned"); err == nil {
		t.Error("cleaned up")
	}
}

// A setup whose program fails in its warm-up, or is interrupted there, runs once, and is cleaned up
// where it has set up.
func TestAWarmUpThatFails(t *testing.T) {
	own := table("Own", "./own", `importer = "time"`, `warmup = 1`, `setup = "echo setup >> said; touch $GOBENCH_DIR/built"`, `cleanup = "ls $GOBENCH_DIR >> said"`)
	for name, interrupt := range map[string]bool{"fails": false, "interrupted": true} {
		t.Run(name, func(t *testing.T) {
			a := beside(t, own, map[string]string{"own": "echo run >> said; exit 1"})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			measured := 0
			a.Measured = func() { measured++ }
			var out bytes.Buffer
			runTo(ctx, a, writer(func(b []byte) {
				if interrupt && strings.Contains(string(b), "run again") {
					cancel()
				}
			}), &out)
			said, _ := os.ReadFile("said")
			want := "setup run run run built"
			if interrupt {
				want = "setup run built"
			}
			if got := strings.Join(strings.Fields(string(said)), " "); got != want || measured != 1 {
				t.Errorf("%q, want %q; measured %d\n%s", got, want, measured, out.String())
			}
		})
	}
}

// A run that writes no log fails, also if there is one of an earlier run.
func TestALogOfTheRunBefore(t *testing.T) {
	a := beside(t, table("Own", "./own log", `pattern = '([0-9.]+) ms'`, `unit = "ms"`, `log = "log"`),
		map[string]string{"own": "echo x; [ -e $1 ] || echo 2 ms > $1"})
	if out, err := attempt(t, a); err == nil || !strings.Contains(out, "it did not write its log: ") || len(recorded(t, a).Points) == 0 {
		t.Errorf("%v\n%s", err, out)
	}
}

// The command that compares two commands can be pasted into a shell.
func TestCommandThatComparesCommands(t *testing.T) {
	commands := []Command{{Verb: foreignTable, Args: []string{"--command=./it's 1", "--importer=time"}}, {Verb: foreignTable, Args: []string{"--command=./b", "--library=B"}}}
	r := &runner{plan: &Plan{Commands: commands}}
	if got, want := by(r.factor()), `by=library base='./it'\''s 1'`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	slices.Reverse(commands)
	if got := by(r.factor()); got != "by=library base=B" {
		t.Error(got)
	}
}

// A server runs until its client has ended, and is then stopped. Its last output is read, too.
func TestAServerAndItsClient(t *testing.T) {
	for _, format := range []string{"jsonl", "ucx_perftest"} {
		a := beside(t, table("Pair", os.Args[0]+" -test.run=^$ client {port}", `server = "`+os.Args[0]+` -test.run=^$ server {port}"`, `importer = "`+format+`"`), nil)
		t.Setenv(pairRole, format)
		out := swept(t, a)
		if n := len(launched(t, a.File)); n != 4 || strings.Contains(out, "run again") {
			t.Errorf("%s: %d launches\n%s", format, n, out)
		}
	}
}

// A dry run starts no foreign program.
func TestADryRunStartsNoForeignProgram(t *testing.T) {
	t.Setenv(standIn, "1")
	a := beside(t, table("MPI", "./mpi", `version = "./mpi version"`), map[string]string{"mpi": "touch ran"})
	a.DryRun = true
	out := swept(t, a)
	if _, err := os.Stat("ran"); err == nil || !strings.Contains(out, "# launch   MPI over smem: ./mpi") {
		t.Errorf("%v\n%s", err, out)
	}
}

// Mistakes in the table of a program are errors with the line.
func TestMistakesInAProgram(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"library = \"x\"", "x.toml:1: [[program]] needs a command"},
		{"command = \"x\"", `x.toml:1: [[program]] needs the library that it measures; without one, importer = "time" records the wall time`},
		{"command = \"x {port}\"\nimporter = \"time\"\nserver = \"y {port}\"", `x.toml:1: importer = "time" is for a command without a server`},
		{"library = \"x\"\ncommand = \"y {colour}\"", `x.toml:1: unknown placeholder "colour"`},
		{"library = \"x\"\ncommand = \"y\"\ncolor = \"red\"", `x.toml:1: unknown key "color"`},
		{"library = \"x\"\ncommand = \"y\"\nimporter = \"imp\"", `x.toml:1: unknown importer "imp": did you mean "imb"?`},
		{"library = \"x\"\ncommand = \"y\"\nlimit = \"soon\"", `x.toml:1: limit is "soon", want a time such as "60s"`},
		{"library = \"x\"\ncommand = \"y\"\nnp = 0", `x.toml:1: np is "0", want a number of at least 1`},
		{"library = \"x\"\ncommand = \"y\"\nsizes = \"8,1K\"", `x.toml:1: sizes is "8,1K", want bytes`},
		{"library = \"x\"\ncommand = \"y {core2}\"", `x.toml:1: unknown placeholder "core2"`},
		{"library = \"x\"\ncommand = \"y\"\nwarmup = -1", `x.toml:1: warmup is "-1", want a number of runs`},
		{"library = \"x\"\ncommand = \"y\"\nsuccess = \"ok\"", `x.toml:1: success is "ok", want exit codes such as "0,1"`},
		{"library = \"x\"\ncommand = \"y\"\npattern = \"(x)\"\nunit = \"sec\"", `x.toml:1: unknown unit "sec"`},
		{"library = \"x\"\ncommand = \"y\"\nunit = \"s\"", "x.toml:1: want a pattern or a path of JSON"},
		{"library = \"x\"\ncommand = \"y\"\nimporter = \"numbers\"", "x.toml:1: want a pattern or a path of JSON"},
		{"library = \"x\"\ncommand = \"y\"\nimporter = \"imb\"\njson = \"x\"\nunit = \"s\"", `x.toml:1: importer = "imb" reads the output: leave out pattern, json and unit`},
		{"library = \"x\"\ncommand = \"y\"\nserver = \"z\"", "x.toml:1: server has no {port}"},
	} {
		_, err := Parse([]byte("[[program]]\n"+c.text+"\n"), "x.toml", verbs)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.text, err)
		}
	}
	p, err := Parse([]byte("[[program]]\nlibrary = [\"a\", \"b\"]\ncommand = \"y --name=O'Brien 'quoted' {color} {np}\"\ncolor = [\"red\", \"blue\"]\nnp = [1, 2]\n"), "x.toml", verbs)
	if err != nil || len(p.Commands) != 8 {
		t.Errorf("%v, %v", p, err)
	}
	var names []string
	for _, c := range p.Commands {
		names = append(names, c.Name())
	}
	if slices.Sort(names); len(slices.Compact(names)) != 8 {
		t.Errorf("commands have the same names: %v", names)
	}
}

// The files of rivals that come with gobench are valid.
func TestRivals(t *testing.T) {
	files, _ := filepath.Glob("../../../configs/rivals/*.toml")
	all := []Verb{{Name: "p2p", Flags: []string{"transport", "level", "sizes", "budget", "bench", "np", "set", "window", "memory"}},
		{Name: "coll", Flags: []string{"transport", "op", "sizes", "np", "start", "batch", "budget", "ranks"}}, {Name: "startup", Flags: []string{"transport", "np"}},
		{Name: "npb", Flags: []string{"class", "np", "transport", "repeat", "is-order"}, Positional: "kernel"}, {Name: "fdtd", Flags: []string{"grid", "steps", "real", "np", "transport", "repeat"}}}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Parse(text, file, all); err != nil {
			t.Error(err)
		}
	}
	if len(files) < 5 {
		t.Errorf("%d files", len(files))
	}
}
