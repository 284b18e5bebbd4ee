package document_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gobench/compare"
	"gobench/internal/report/cell"
	"gobench/internal/report/document"
	"gobench/internal/report/figure/figuretest"
	"gobench/record"
)

// unfolded returns blocks with those inside of folded ones.
func unfolded(blocks []document.Block) (list []document.Block) {
	for _, b := range blocks {
		if f, ok := b.(document.Folded); ok {
			list = append(list, unfolded(f.Blocks)...)
			continue
		}
		list = append(list, b)
	}
	return list
}

// pasted runs the script of the section "How to reproduce" in an empty directory, in a shell whose
// PATH has programs of some names that print their arguments. It returns the arguments of each of
// their runs, and the directory.
func pasted(t *testing.T, s *cell.Set, drawn document.Command, programs ...string) (runs [][]string, dir string) {
	t.Helper()
	var code document.Code
	for _, section := range document.Build(s, nil, drawn).Sections {
		for _, block := range unfolded(section.Blocks) {
			if c, ok := block.(document.Code); ok && section.Title == "How to reproduce" {
				code = append(code, c...)
			}
		}
	}
	bin, dir := t.TempDir(), t.TempDir()
	printed := filepath.Join(bin, "printed")
	for _, name := range programs {
		program := "#!/bin/sh\n{ printf '%s\\0' \"" + name + "\" \"$@\"; printf '\\0'; } > '" + printed + "'.$$\n" +
			"cat '" + printed + "'.$$ >> '" + printed + "'\n" // in one piece: ranks run at the same time
		if err := os.WriteFile(filepath.Join(bin, name), []byte(program), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("sh")
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(strings.Join(code, "\n")+"\n")
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("%v: %s\n%s", err, out, strings.Join(code, "\n"))
	}
	data, err := os.ReadFile(printed)
	if err != nil {
		t.Fatal(err)
	}
	for run := range strings.SplitSeq(strings.TrimSuffix(string(data), "\x00\x00"), "\x00\x00") {
		runs = append(runs, strings.Split(run, "\x00"))
	}
	return runs, dir
}

func expect(t *testing.T, got [][]string, want ...string) {
	t.Helper()
	var lines []string
	for _, run := range got {
		lines = append(lines, strings.Join(run, " "))
	}
	if !slices.Equal(lines, want) {
		t.Errorf("the script runs\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}

// Commands are repeated as often as they were run, with the launcher and the program that made the
// records, into the files that the report reads.
func TestCommandsAreRepeated(t *testing.T) {
	f := figuretest.PingPong(6)
	local := []string{"gobench", "p2p", "--sizes=8", "-o", "/data/x.jsonl"}
	mpi := []string{"gobench-mpi", "p2p", "--level=comm", "--output=x.jsonl"}
	for i, r := range []record.Run{
		{Series: "s1", Command: local}, {Series: "s1", Command: local}, {Series: "s2", Command: local},
		{Series: "s3", Command: mpi, Job: record.Job{StartedBy: append([]string{"/opt/mpi/bin/mpirun", "-n", "2", "/home/u/bin/gobench-mpi"}, mpi[1:]...)}},
		{Series: "s4", Command: mpi, Job: record.Job{Launcher: "slurm"}},
		{Series: "s5", Command: []string{"gobench", "import", "../logs/osu.log", "-o", "x.jsonl"}, Source: &record.Source{Name: "../logs/osu.log", SHA256: "abc"}},
	} {
		to := &f.Runs[i]
		to.Series, to.Command, to.Source, to.Job.StartedBy = r.Series, r.Command, r.Source, r.Job.StartedBy
		if r.Job.Launcher != "" {
			to.Job.Launcher = r.Job.Launcher
		}
	}
	f.Runs[3].Command[0], f.Runs[3].Job.StartedBy[0] = "gobench-mpi", "mpirun"
	s := cell.NewSet()
	s.Add("/data/results/x.jsonl", f)
	runs, _ := pasted(t, s, document.Command{Flags: []string{"--figure=p2p", "--by=transport"}, Output: "/tmp/out/"}, "gobench", "mpirun", "srun")
	expect(t, runs,
		"gobench p2p --sizes=8 -o x.jsonl", "gobench p2p --sizes=8 -o x.jsonl",
		"mpirun -n 2 gobench-mpi p2p --level=comm -o x.jsonl",
		"srun -N 1 -n 2 gobench-mpi p2p --level=comm -o x.jsonl",
		"gobench import osu.log -o x.jsonl",
		"gobench report --figure=p2p --by=transport -o out/ x.jsonl")
}

// A script says that it lacks the values of environment variables, which records do not have.
func TestValuesOfTheEnvironmentAreMissing(t *testing.T) {
	for _, c := range []struct {
		launcher []string
		said     bool
	}{
		{[]string{"mpirun", "-n", "2"}, false},
		{[]string{"mpirun", "-x", "TOKEN=", "-n", "2"}, true},
		{[]string{"mpiexec", "-genv", "TOKEN", "", "-n", "2"}, true},
	} {
		f := figuretest.PingPong(1)
		command := []string{"gobench", "p2p"}
		f.Runs[0].Command, f.Runs[0].Job.StartedBy = command, append(c.launcher, command...)
		if how := markdown(t, set(f)); strings.Contains(how, "# Values of environment variables are not recorded") != c.said {
			t.Errorf("%q: said is not %v:\n%s", c.launcher, c.said, how)
		}
	}
}

// A run of which two files have parts is one run of the report, and is repeated for both files.
func TestFilesThatShareRuns(t *testing.T) {
	dir := t.TempDir()
	var names []string
	for i, sizes := range [][]int64{{8}, {8, 64}} {
		f := &record.File{}
		for j := range 3 {
			run := figuretest.Run(string(rune('a'+j)), "n1", 2)
			run.Command, run.Label = []string{"gobench", "p2p"}, "lab"
			f.Runs = append(f.Runs, run)
			for _, size := range sizes {
				f.Points = append(f.Points, record.Point{Run: run.ID, Time: time.Unix(2, 0), Bench: "pingpong", Transport: "smem", Level: "device", Size: size, Ranks: 2, RankKind: "process", Iterations: 100, Metrics: record.ValuesOf(map[string]record.Value{"half_rtt_s": {Median: 1e-6, N: 100}})})
			}
		}
		name := filepath.Join(dir, []string{"part.jsonl", "whole.jsonl"}[i])
		names = append(names, name)
		w, err := record.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range f.Runs {
			err = errors.Join(err, w.WriteRun(&f.Runs[i]))
		}
		for i := range f.Points {
			err = errors.Join(err, w.WritePoint(&f.Points[i]))
		}
		if err = errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
	}
	s, err := cell.Load(names, record.Selection{Label: "lab"})
	if err != nil || len(s.Runs) != 3 || len(s.Points) != 6 {
		t.Fatalf("%d runs, %d points, %v; want 3 and 6", len(s.Runs), len(s.Points), err)
	}
	for _, p := range s.Points {
		if p.Run == nil {
			t.Fatal("a point has no run")
		}
	}
	runs, _ := pasted(t, s, document.Command{}, "gobench")
	p2p := func(name string) []string { return slices.Repeat([]string{"gobench p2p -o " + name}, 3) }
	expect(t, runs, slices.Concat(p2p("part.jsonl"), p2p("whole.jsonl"), []string{"gobench report part.jsonl whole.jsonl"})...)
}

// A sweep is repeated with its plan, which the script writes, with its seed, its flags and its
// program.
func TestSweepsAreRepeated(t *testing.T) {
	plan := "name = \"two\"\n\n# it's 100 % `safe` \\n $HOME !x\n[[p2p]]\nsizes = ['8']"
	f := figuretest.PingPong(4)
	for i := range f.Runs {
		f.Runs[i].Command = []string{"gobench", "p2p", "--sizes=8", "--json", "--output=x.jsonl"}
		if i < 3 {
			f.Launches = append(f.Launches, record.Launch{Run: f.Runs[i].ID, Sweep: "two", Plan: "p1", Command: []string{"p2p", "--sizes=8"}, Launch: i + 1, Block: 1, Seed: 60486460})
		}
	}
	f.Plans = []record.Plan{{ID: "p1", Sweep: "two", File: "two.toml", Lines: record.PlanLines([]byte(plan + "\n")),
		Command: []string{"gobench-mpi", "sweep", "configs/two.toml", "--launches", "3", "--seed=1", "-o", "old.jsonl"}}}
	f.Runs[3].Command = []string{"gobench", "p2p", "it's"}
	runs, dir := pasted(t, set(f), document.Command{Output: "report.html"}, "gobench", "gobench-mpi")
	expect(t, runs,
		"gobench-mpi sweep two.toml --launches 3 --seed=60486460 -o a.jsonl",
		"gobench p2p it's -o a.jsonl",
		"gobench report -o report.html a.jsonl")
	if text, err := os.ReadFile(filepath.Join(dir, "two.toml")); err != nil || string(text) != plan+"\n" {
		t.Errorf("the plan is %q, want %q (%v)", text, plan, err)
	}
	// Records of earlier versions have no plan, which is said.
	f.Plans = nil
	runs, _ = pasted(t, set(f), document.Command{}, "gobench")
	if want := "gobench sweep two.toml --seed=60486460 -o a.jsonl"; strings.Join(runs[0], " ") != want {
		t.Errorf("%q, want %s", runs[0], want)
	}
	if how := markdown(t, set(f)); !strings.Contains(how, "# These records do not have the plan of the sweep, p1: two.toml must be here.") {
		t.Error("the plan is missing without a word")
	}
}

// Jobs on several hosts name these hosts, also those of a file or of a scheduler, and ranks started
// by hand have a line each.
func TestHostsAreRepeated(t *testing.T) {
	job := func(launcher string, hosts []int, names []string, command ...string) *record.File {
		f := figuretest.PingPong(1)
		r := &f.Runs[0]
		r.Command, r.Hosts = command, nil
		for _, name := range names {
			r.Hosts = append(r.Hosts, map[string]any{"hostname": name})
		}
		r.Job = record.Job{Launcher: launcher, Ranks: len(hosts), Hosts: hosts}
		return f
	}
	ab := []string{"a", "b"}
	for name, c := range map[string]struct {
		file *record.File
		want []string
		text map[string]string // files that the script writes
	}{
		"hosts":     {job("ssh", []int{0, 1}, ab, "gobench", "p2p", "--hosts=a,b"), []string{"gobench p2p --hosts=a,b -o a.jsonl"}, nil},
		"hostfile":  {job("ssh", []int{0, 0, 1}, ab, "gobench", "coll", "--hostfile", "/etc/hosts.mpi"), []string{"gobench coll --hostfile=hosts.mpi -o a.jsonl"}, map[string]string{"hosts.mpi": "a slots=2\nb slots=1\n"}},
		"map":       {job("ssh", []int{0, 1, 0}, ab, "gobench", "coll", "--hosts=a:2,b", "--map=my.map"), []string{"gobench coll --hosts=a:2,b --map=my.map -o a.jsonl"}, map[string]string{"my.map": "a\nb\na\n"}},
		"scheduler": {job("ssh", []int{0, 0, 1}, ab, "gobench", "coll"), []string{"gobench coll --hosts=a:2,b:1 -o a.jsonl"}, nil},
		"by hand":   {job("meet", []int{0, 0}, ab[:1], "gobench", "p2p", "--node=0/2", "--meet=127.0.0.1:7579"), []string{"gobench p2p --node=1/2 --meet=127.0.0.1:7579 -o a.jsonl", "gobench p2p --node=0/2 --meet=127.0.0.1:7579 -o a.jsonl"}, nil},
		"by hand on two": {job("meet", []int{0, 1}, ab, "gobench", "p2p", "--node=0/2", "--meet=a:7579"),
			[]string{"gobench p2p --node=0/2 --meet=a:7579 -o a.jsonl"}, nil},
		"by hand, three times": {thrice(job("meet", []int{0, 0}, ab[:1], "gobench", "p2p", "--node=0/2", "--meet=a:7579")),
			slices.Repeat([]string{"gobench p2p --node=0/2 --meet=a:7579 -o a.jsonl", "gobench p2p --node=1/2 --meet=a:7579 -o a.jsonl"}, 3), nil},
		"one host twice": {job("ssh", []int{0, 1, 2}, []string{"a", "a", "b"}, "gobench", "coll", "--map=./m.txt", "--hostfile=h.txt"),
			[]string{"gobench coll --map=m.txt --hostfile=h.txt -o a.jsonl"}, map[string]string{"m.txt": "a\na\nb\n", "h.txt": "a slots=2\nb slots=1\n"}},
		"one host twice, by hand": {job("meet", []int{0, 1}, []string{"a", "a"}, "gobench", "p2p", "--meet=a:7579"),
			[]string{"gobench p2p --node=1/2 --meet=a:7579 -o a.jsonl", "gobench p2p --node=0/2 --meet=a:7579 -o a.jsonl"}, nil},
		"a host without name": {job("ssh", []int{0, 1, 2}, []string{"a", "", "b"}, "gobench", "coll", "--hosts=a,x,b", "--map=./m.txt"),
			[]string{"gobench coll --hosts=a,x,b --map=./m.txt -o a.jsonl"}, nil},
	} {
		runs, dir := pasted(t, set(c.file), document.Command{}, "gobench")
		var lines []string
		for _, run := range runs[:len(runs)-1] { // the last one draws
			lines = append(lines, strings.Join(run, " "))
		}
		slices.Sort(lines) // ranks in the background
		slices.Sort(c.want)
		if !slices.Equal(lines, c.want) {
			t.Errorf("%s: %q, want %q", name, lines, c.want)
		}
		for file, want := range c.text {
			if text, err := os.ReadFile(filepath.Join(dir, file)); err != nil || string(text) != want {
				t.Errorf("%s: %s is %q, want %q (%v)", name, file, text, want, err)
			}
		}
	}
}

// thrice adds two launches to the one of a file.
func thrice(f *record.File) *record.File {
	f.Runs = slices.Repeat(f.Runs[:1], 3)
	for i := range f.Runs {
		f.Runs[i].ID += strings.Repeat("+", i)
	}
	return f
}

// A command line of a launcher that does not end with the command of the run is not cut, and the
// ranks are started as without it.
func TestOtherCommandLineOfALauncher(t *testing.T) {
	for _, by := range [][]string{{"mpirun"}, {"mpirun", "-n", "2", "job.sh"}, {"gobench", "p2p", "-n", "2"}} {
		f := figuretest.PingPong(1)
		f.Runs[0].Command = []string{"gobench", "p2p", "-n", "2"}
		f.Runs[0].Job = record.Job{Launcher: "pmi", Ranks: 2, StartedBy: by}
		runs, _ := pasted(t, set(f), document.Command{}, "mpiexec.hydra", "gobench")
		expect(t, runs, "mpiexec.hydra -n 2 gobench p2p -n 2 -o a.jsonl", "gobench report a.jsonl")
	}
}

// Every log of an import is named, with its digest, also those of a directory.
func TestAllLogsAreNamed(t *testing.T) {
	f := figuretest.PingPong(4)
	two, dir := []string{"gobench", "import", "../logs/a.log", "../logs/b.log", "--library=X"}, []string{"gobench", "import", "/data/logs/"}
	for i, log := range []string{"../logs/a.log", "../logs/b.log", "/data/logs/c.log", "/data/logs/sub/d.log"} {
		f.Runs[i].Command, f.Runs[i].Source = two, &record.Source{Name: log, SHA256: strings.Repeat(string(rune('0'+i)), 64)}
		if i > 1 {
			f.Runs[i].Command = dir
		}
	}
	runs, _ := pasted(t, set(f), document.Command{}, "gobench")
	expect(t, runs, "gobench import a.log b.log --library=X -o a.jsonl", "gobench import c.log d.log -o a.jsonl", "gobench report a.jsonl")
	how := markdown(t, set(f))
	for i, log := range []string{"a.log", "b.log", "c.log", "d.log"} {
		if want := "# The log " + log + ", SHA-256 " + strings.Repeat(string(rune('0'+i)), 64) + ", must be here."; !strings.Contains(how, want) {
			t.Errorf("%q is missing", want)
		}
	}
}

// Flags that name files of records, or their IDs, hold in the directory of the script.
func TestFlagsHoldForNewRecords(t *testing.T) {
	s := cell.NewSet()
	for i, name := range []string{"/data/p/r.jsonl", "/data/q/r.jsonl"} {
		f := figuretest.PingPong(1)
		f.Runs[0].ID, f.Runs[0].Command = string(rune('a'+i)), nil
		for j := range f.Points {
			f.Points[j].Run = f.Runs[0].ID
		}
		s.Add(name, f)
	}
	s.Sources[0].Name, s.Sources[1].Name = "p/r", "q/r" // as of Load
	if err := s.Choose(compare.Options{Base: "q/r"}); err != nil {
		t.Fatal(err)
	}
	flags := []string{"--base=q/r", "--command=SER", "--floor=/data/g.jsonl", "--min-effect=3%"}
	runs, _ := pasted(t, s, document.Command{Flags: flags}, "gobench")
	expect(t, runs, "gobench report --base=r-2 --floor=g.jsonl --min-effect=3% r.jsonl r-2.jsonl")
}

// Every name of a file and every flag is one argument of the shell, whatever is in it.
func TestFileNamesOfAllKinds(t *testing.T) {
	s := cell.NewSet()
	names := []string{"a b.jsonl", "it's.jsonl", "a!b.jsonl", "a\nb.jsonl", "\x1b[31m.jsonl", "a\tb", "%s\\n.jsonl", "\xff\xfe1.jsonl", "$(touch x)`.jsonl", "ä\u202eb.jsonl", `"q".jsonl`, "end\n", "~x", "x;y&z|w.jsonl", "日本.jsonl", "a=b.jsonl", "*?[a].jsonl"}
	for i, name := range names {
		f := figuretest.PingPong(1)
		f.Runs[0].ID = string(rune('a' + i))
		for j := range f.Points {
			f.Points[j].Run = f.Runs[0].ID
		}
		f.Runs[0].Command = []string{"gobench", "p2p", "--label=a\nb"}
		s.Add(name, f)
	}
	runs, _ := pasted(t, s, document.Command{Output: "out \x07.html"}, "gobench")
	for i, name := range names {
		if want := []string{"gobench", "p2p", "--label=a\nb", "-o", name}; !slices.Equal(runs[i], want) {
			t.Errorf("%q, want %q", runs[i], want)
		}
	}
	if want := append([]string{"gobench", "report", "-o", "out \x07.html"}, names...); !slices.Equal(runs[len(names)], want) {
		t.Errorf("%q, want %q", runs[len(names)], want)
	}
}

// Files outside of the directory get names in it, each its own, and none is taken for a flag.
func TestFilesElsewhere(t *testing.T) {
	s := cell.NewSet()
	for i, name := range []string{"/data/a.jsonl", "../a.jsonl", "-o.jsonl", "results/a.jsonl.gz"} {
		f := figuretest.PingPong(1)
		f.Runs[0].ID = string(rune('a' + i))
		f.Runs[0].Command = nil
		for j := range f.Points {
			f.Points[j].Run = f.Runs[0].ID
		}
		s.Add(name, f)
	}
	prices := document.Input{Flag: "--prices", Path: "/etc/prices.toml", Text: []byte("name = \"b\"\n")}
	runs, dir := pasted(t, s, document.Command{Inputs: []document.Input{prices}}, "gobench")
	expect(t, runs, "gobench report --prices=prices.toml a.jsonl a-2.jsonl ./-o.jsonl results/a.jsonl")
	if text, err := os.ReadFile(filepath.Join(dir, "prices.toml")); err != nil || string(text) != "name = \"b\"\n" {
		t.Errorf("prices: %q, %v", text, err)
	}
}
