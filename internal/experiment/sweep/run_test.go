package sweep

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gobench/internal/exit"
	"gobench/record"
)

// script is a substitute for gobench that prints its version, an estimate and one result.
const script = `#!/bin/sh
case "$*" in
*--version*) echo "gobench version 7"; exit 0 ;;
*--transport=long*--dry-run*) echo '{"cells":1,"least_s":0.1,"most_s":1000}'; exit 0 ;;
*--dry-run*) echo '{"cells":1,"least_s":0.1,"most_s":0.2}'; exit 0 ;;
*--transport=broken*) echo "gobench: it is broken" >&2; exit 1 ;;
*--transport=wrong*)
	echo '{"schema":"gobench/1","kind":"failure","run":"r","time":"2026-11-21T00:00:00Z","sweep":"","name":"x","command":["x"],"host":"n1","launch":1,"block":1,"attempt":1,"why":"data wrong","duration_s":1}'
	exit 3 ;;
*--transport=moved*) mv x.jsonl y.jsonl ;;
*--transport=removed*) rm x.jsonl ;;
*--transport=slow*) code=4 ;;
*--transport=full*) full=1; code=1 ;;
*--transport=silent*) full=1 ;;
esac
for a; do case $a in --output=*) out=${a#--output=} ;; esac; done
id=r$(date +%s%N)
printf '{"schema":"gobench/1","kind":"run","run":"%s","time":"2026-11-21T00:00:00Z","command":["gobench","p2p"],"job":{"launcher":"local","ranks":2}}\n' $id > rows.$$
printf '{"schema":"gobench/1","kind":"point","run":"%s","time":"2026-11-21T00:00:01Z","bench":"pingpong","transport":"smem","level":"device","size_B":8,"ranks":2,"rank_kind":"process","iterations":1,"warmup_dropped":0,"launch":1,"half_rtt_s":{"median":1e-7,"n":1}}\n' $id >> rows.$$
[ -n "$full" ] || cat rows.$$ >> "$out"
cat rows.$$
rm rows.$$
[ -z "$code" ] || exit $code
`

// asked returns the options of a sweep of that program over the given transports.
func asked(t *testing.T, transports string) Options {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	program := filepath.Join(dir, "gobench")
	plan := fmt.Sprintf("name = \"x\"\nlaunches = 2\nprograms = [%q]\n\n[[p2p]]\ntransport = [%s]\n", program, transports)
	if err := errors.Join(os.WriteFile(program, []byte(script), 0o755), os.WriteFile("x.toml", []byte(plan), 0o644)); err != nil {
		t.Fatal(err)
	}
	return Options{Path: "x.toml", File: "x.jsonl", Host: "n1", Version: "7",
		Verbs: []Verb{{Name: "p2p", Flags: []string{"transport", "sizes"}}}}
}

func launched(t *testing.T, path string) []record.Launch {
	t.Helper()
	f, err := record.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return f.Launches
}

// Launches in the file are not repeated, also if its last line is torn.
func TestASweepContinues(t *testing.T) {
	a := asked(t, `"smem", "tcp"`)
	swept(t, a)
	all := launched(t, a.File)
	if len(all) != 4 || all[0].Block != 1 || all[3].Block != 2 {
		t.Fatalf("%+v", all)
	}
	text, err := os.ReadFile(a.File)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	torn := strings.Join(lines[:len(lines)-3], "") + lines[0][:40]
	if err := os.WriteFile(a.File, []byte(torn), 0o644); err != nil {
		t.Fatal(err)
	}
	out := swept(t, a)
	if n := len(launched(t, a.File)); n != 4 || !strings.Contains(out, "of which 3 are in x.jsonl already") {
		t.Errorf("%d launches\n%s", n, out)
	}
	// The file has the plan once.
	file, err := record.ReadFile(a.File)
	if err != nil || len(file.Plans) != 1 {
		t.Fatalf("%d plans, %v", len(file.Plans), err)
	}
	plan, err := os.ReadFile(a.Path)
	if p := file.Plans[0]; err != nil || p.ID != all[0].Plan || p.File != filepath.Base(a.Path) || !slices.Equal(p.Lines, record.PlanLines(plan)) {
		t.Errorf("%+v, %v", p, err)
	}
}

// A program with another digest is another program, also with the same version: the sweep is not
// continued with it.
func TestARebuiltProgram(t *testing.T) {
	a := asked(t, `"smem"`)
	rebuild := func(text string) {
		if err := os.WriteFile("gobench", []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	a.Launches = 1
	swept(t, a)
	if all := launched(t, a.File); len(all) != 1 || len(all[0].Build) != 16 {
		t.Fatalf("%+v", all)
	}
	rebuild(script + "#\n")
	_, err := attempt(t, a)
	var usage *exit.UsageError
	if want := "the program has changed since x.jsonl was begun: the file contains launches of this sweep by build "; !errors.As(err, &usage) || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v", err)
	}
	rebuild(script + "echo \"#\" >> $0\n")
	a.File, a.Launches = "y.jsonl", 2
	_, err = attempt(t, a)
	var changed *ChangedError
	if !errors.As(err, &changed) || len(launched(t, a.File)) != 1 {
		t.Errorf("%v", err)
	}
}

// A launch that fails is left out in later blocks; wrong data end the
func TestLaunchesThatFail(t *testing.T) {
	for transports, want := range map[string]FailedError{
		`"smem", "broken"`: {Failed: 1, Of: 4, Code: 1},
		`"wrong"`:          {Failed: 1, Of: 2, Code: 3},
	} {
		a := asked(t, transports)
		out, err := attempt(t, a)
		failed, ok := errors.AsType[*FailedError](err)
		if !ok || *failed != want {
			t.Errorf("%s: %v\n%s", transports, err, out)
		}
		f, err := record.ReadFile(a.File)
		cause := map[int]string{1: "1", 3: "3: data wrong"}[want.Code]
		if all := strings.Join(f.Failed(), "\n"); err != nil || !strings.HasSuffix(all, "1 of 1 launch failed (1 attempt) and was left out: it ended with exit code "+cause) {
			t.Errorf("%v, %q", err, all)
		}
	}
}

// Results that a launch does not write, whether it fails or not, are shown, and end the sweep.
func TestTheFileOfRecordsIsFull(t *testing.T) {
	for _, transport := range []string{"full", "silent"} {
		a := asked(t, `"`+transport+`"`)
		out, err := attempt(t, a)
		f := recorded(t, a)
		if err == nil || !strings.HasPrefix(err.Error(), "cannot write results to x.jsonl: ") || strings.Count(out, "unwritten: 1\n") != 1 || len(f.Failures)+len(f.Launches) != 0 {
			t.Errorf("%s: %v\n%s", transport, err, out)
		}
	}
}

// A sweep ends when its file of records is not there any more, and says where the records are.
func TestTheFileOfRecordsIsMoved(t *testing.T) {
	for transport, want := range map[string]string{
		"moved":   `^x.jsonl was renamed meanwhile: its records are in .*/y.jsonl; the same command with output=.*/y.jsonl continues$`,
		"removed": `^cannot write a result to x.jsonl: the file was removed meanwhile, and the results before it with it`,
	} {
		_, err := attempt(t, asked(t, `"`+transport+`"`))
		if err == nil || !regexp.MustCompile(want).MatchString(err.Error()) {
			t.Errorf("%s: %v", transport, err)
		}
	}
}

// The bound of the time of a launch may be much longer than the launch, and than the budget.
func TestALaunchIsShorterThanItsBound(t *testing.T) {
	a := asked(t, `"long"`)
	a.Budget = time.Minute
	out := swept(t, a)
	if n := len(launched(t, a.File)); n != 2 || strings.Contains(out, "does not suffice") {
		t.Errorf("%d launches\n%s", n, out)
	}
	a = asked(t, `"long", "smem"`)
	a.Budget = 1 // ns
	for n := range 4 {
		out := swept(t, a)
		if want := fmt.Sprintf("does not suffice for %d of 4", 3-n); len(launched(t, a.File)) != n+1 || strings.Contains(out, want) != (n < 3) {
			t.Errorf("run %d: %d launches\n%s", n+1, len(launched(t, a.File)), out)
		}
	}
}

// A launch that exceeds a limit is complete, and is repeated in later blocks.
func TestLaunchesThatAreSlow(t *testing.T) {
	a := asked(t, `"smem", "slow"`)
	for range 2 { // what is in the file is not launched again, and counts again
		out, err := attempt(t, a)
		if slow, ok := errors.AsType[*ExceededError](err); !ok || *slow != (ExceededError{2, 4}) || len(launched(t, a.File)) != 4 {
			t.Errorf("%v\n%s", err, out)
		}
	}
}

func TestAnInterruptedSweep(t *testing.T) {
	a := asked(t, `"smem"`)
	ctx, cancel := context.WithCancel(t.Context())
	var out bytes.Buffer
	err := runTo(ctx, a, writer(func(b []byte) {
		if strings.Contains(string(b), "1/2 block 1") {
			cancel()
		}
	}), &out)
	interrupted, ok := errors.AsType[*InterruptedError](err)
	if !ok || interrupted.Done != 0 || interrupted.Of != 2 {
		t.Errorf("%v", err)
	}
	a = asked(t, `"smem", "broken"`) // which is left out in block 2, and is no finished launch
	ctx, cancel = context.WithCancel(t.Context())
	err = runTo(ctx, a, writer(func(b []byte) {
		if strings.Contains(string(b), "/4 block 2") {
			cancel()
		}
	}), &out)
	if interrupted, ok = errors.AsType[*InterruptedError](err); !ok || interrupted.Done != 1 || interrupted.Of != 4 {
		t.Errorf("%v", err)
	}
	a.File = "before.jsonl"
	if err = runTo(ctx, a, &out, &out); err == nil || err.Error() != "interrupted before the first launch" {
		t.Errorf("before the first launch: %v", err)
	}
}

// printer is an Observer that prints.
type printer struct{ io.Writer }

func (p printer) Line(name, text string)   { fmt.Fprintf(p, "# %-8s %s\n", name, text) }
func (p printer) Progress(text string)     { fmt.Fprintln(p, text) }
func (p printer) Warning(text string)      { fmt.Fprintln(p, text) }
func (printer) Records(*record.File) error { return nil }
func (p printer) Unwritten(f *record.File) error {
	_, err := fmt.Fprintf(p, "unwritten: %d\n", len(f.Points))
	return err
}
func (printer) Results(_, _, _, _ string) error { return nil }

func runTo(ctx context.Context, o Options, stdout, stderr io.Writer) error {
	o.Stderr = stderr
	return Run(ctx, o, printer{stdout})
}

// attempt runs a sweep and returns what it prints.
func attempt(t *testing.T, o Options) (string, error) {
	var out bytes.Buffer
	err := runTo(t.Context(), o, &out, &out)
	return out.String(), err
}

// swept runs a sweep, which must not fail, and returns what it prints.
func swept(t *testing.T, o Options) string {
	t.Helper()
	out, err := attempt(t, o)
	if err != nil {
		t.Fatal(err, out)
	}
	return out
}

// recorded returns the records of a sweep.
func recorded(t *testing.T, o Options) *record.File {
	t.Helper()
	f, err := record.ReadFile(o.File)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// writer calls itself with what is written.
type writer func(b []byte)

func (w writer) Write(b []byte) (int, error) {
	w(b)
	return len(b), nil
}

func TestATransportThatDoesNotWork(t *testing.T) {
	a := asked(t, `"smem", "ibv"`)
	a.Available = func(c Command) error {
		if c.Flag("transport") == "ibv" {
			return errors.New("there is no adapter")
		}
		return nil
	}
	_, err := attempt(t, a)
	if err == nil || err.Error() != "x.toml:5: there is no adapter; skip-unavailable = true leaves it out" {
		t.Errorf("error %v", err)
	}
}

// A dry run does not start programs that the file names, because they may be untrusted: it uses
// this program for estimates, and reports the files of the others.
func TestADryRunStartsNoProgram(t *testing.T) {
	t.Setenv(standIn, "1")
	a := asked(t, `"smem"`)
	a.DryRun = true
	if err := os.WriteFile("gobench", []byte("#!/bin/sh\ntouch ran\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	out := swept(t, a)
	if _, err := os.Stat("ran"); err == nil {
		t.Error("the program was started")
	}
	path, _ := filepath.Abs("gobench")
	want := "# program  " + path + ": " + path + ", executable, SHA-256 "
	if !strings.Contains(out, want) || !strings.Contains(out, "not run now") {
		t.Errorf("want %s\n%s", want, out)
	}
	for name, mode := range map[string]os.FileMode{"not executable": 0o644, "not there": 0} {
		os.Remove("gobench")
		if mode != 0 {
			if err := os.WriteFile("gobench", []byte("#!/bin/sh\n"), mode); err != nil {
				t.Fatal(err)
			}
		}
		var usage *exit.UsageError
		if _, err := attempt(t, a); !errors.As(err, &usage) || !strings.HasPrefix(err.Error(), "program "+path+": ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// standIn makes the test binary answer as gobench --dry-run --json.
const standIn = "SWEEPING_TEST_STAND_IN"

// pairRole makes the test binary the client or the server of a foreign program.
const pairRole = "SWEEPING_TEST_PAIR"

func TestMain(m *testing.M) {
	if n := len(os.Args); os.Getenv(pairRole) != "" && n > 2 && (os.Args[n-2] == "server" || os.Args[n-2] == "client") {
		pair(os.Args[n-2], os.Args[n-1])
		return
	}
	if os.Getenv(standIn) != "" && slices.Contains(os.Args, "--dry-run") {
		fmt.Println(`{"cells":1,"least_s":0.1,"most_s":0.2}`)
		return
	}
	os.Exit(m.Run())
}

// pair is a server that waits for a client and for the client's end, or a client that prints a
// point.
func pair(role, port string) {
	if role == "server" {
		l, err := net.Listen("tcp", "127.0.0.1:"+port)
		if err != nil {
			panic(err)
		}
		if c, err := l.Accept(); err == nil {
			c.Read(make([]byte, 1))
		}
		if os.Getenv(pairRole) == "ucx_perftest" { // which prints a part there, when its client may have ended
			time.Sleep(50 * time.Millisecond)
			fmt.Print("| Test:         tag match latency |\n| Message size: 8 |\n")
		}
		return
	}
	c, err := net.Dial("tcp", "127.0.0.1:"+port)
	if err != nil {
		panic(err)
	}
	defer c.Close()
	if os.Getenv(pairRole) == "ucx_perftest" {
		fmt.Println(" 300000      0.166     0.170     0.170        1.23       1.23      160747      160747")
		return
	}
	fmt.Println(`{"kind":"point","bench":"pingpong","size_B":8,"half_rtt_s":{"median":2e-07,"n":50}}`)
}

// A file with launches of another plan is an error, and is not changed.
func TestAnotherPlanInTheFile(t *testing.T) {
	a := asked(t, `"smem"`)
	swept(t, a)
	before, _ := os.ReadFile(a.File)
	text, _ := os.ReadFile(a.Path)
	if err := os.WriteFile(a.Path, []byte(strings.Replace(string(text), `["smem"]`, `["smem", "tcp"]`, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := attempt(t, a)
	if want := "x.jsonl: it contains launches of gobench p2p --transport=smem that were made by another plan (x); name another file with output"; err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
	if after, _ := os.ReadFile(a.File); !bytes.Equal(before, after) {
		t.Error("the file was changed")
	}
}

// If the file of a sweep does not exist, the error names the most similar one.
func TestSweepThatDoesNotExist(t *testing.T) {
	o := asked(t, `"smem"`)
	if err := errors.Join(os.Mkdir("configs", 0o755), os.WriteFile("configs/quick.toml", nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"quick":              "open quick: no such file or directory: did you mean configs/quick.toml?",
		"configs/quik.toml":  "open configs/quik.toml: no such file or directory: did you mean configs/quick.toml?",
		"x":                  "open x: no such file or directory: did you mean x.toml?",
		"elsewhere/far.toml": "open elsewhere/far.toml: no such file or directory",
	} {
		o.Path = path
		err := Run(t.Context(), o, nil)
		if _, ok := errors.AsType[*exit.UsageError](err); !ok || err.Error() != "cannot read the sweep: "+want {
			t.Errorf("%s: error %v, want %s", path, err, want)
		}
	}
}

// Each sweep has its own file of records by default.
func TestDefaultFile(t *testing.T) {
	for _, c := range []struct {
		name, path, host string
		aa               bool
		want             string
	}{
		{"ci", "x.toml", "n1", false, "results/ci-n1.jsonl"},
		{"ci", "x.toml", "n1", true, "results/ci-n1-aa.jsonl"},
		{"", "configs/quick.toml", "n1", false, "results/quick-n1.jsonl"},
		{"../a b/é", "x.toml", "n1", false, "results/a-b--n1.jsonl"},
	} {
		if got := defaultFile(Options{Path: c.path, Host: c.host, AA: c.aa}, c.name); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
	a := asked(t, `"smem"`)
	a.File = ""
	swept(t, a)
	if n := len(launched(t, "results/x-n1.jsonl")); n != 2 {
		t.Errorf("%d launches", n)
	}
}

// A file has one sweep at a time: it is locked before its launches are counted.
func TestTwoSweepsOnOneFile(t *testing.T) {
	a := asked(t, `"smem"`)
	var out, second bytes.Buffer
	var err error
	e := runTo(t.Context(), a, writer(func(b []byte) {
		if strings.Contains(string(b), "1/2 block 1") {
			err = runTo(t.Context(), a, &second, &second)
		}
	}), &out)
	var busy *record.BusyError
	if e != nil || !errors.As(err, &busy) || len(launched(t, a.File)) != 2 {
		t.Errorf("%v, %v\n%s", e, err, second.String())
	}
}

// The printed time of a sweep includes its launches and the start of their processes, and has an
// upper bound, before its first launch and when it is resumed.
func TestTimeIsABound(t *testing.T) {
	a := asked(t, `"smem", "tcp"`)
	slow := strings.Replace(script, "id=r", "sleep 0.01\nid=r", 1)
	if err := os.WriteFile("gobench", []byte(slow), 0o755); err != nil {
		t.Fatal(err)
	}
	a.Launches = 1
	out := swept(t, a)
	if !strings.Contains(out, "# time     about 500ms, at most 600ms") { // 2 of 0.05 s and 0.1 s to 1.25 times 0.2 s
		t.Error(out)
	}
	a.Launches = 2
	out = swept(t, a)
	line := regexp.MustCompile(`# time     about (\S+), at most (\S+)\n`).FindStringSubmatch(out)
	if line == nil {
		t.Fatal(out)
	}
	low, e1 := time.ParseDuration(line[1])
	high, e2 := time.ParseDuration(line[2])
	if e1 != nil || e2 != nil || high < low || high < 600*time.Millisecond { // 2 of 0.05 s and 1.25 times 0.2 s
		t.Errorf("%s", line[0])
	}
}
