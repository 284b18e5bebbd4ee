package sweeping

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gobench/bench/record"
	"gobench/bench/sweep"
	"gobench/report"
)

// script is a program that stands for gobench: it tells its version, a plan, and one result.
const script = `#!/bin/sh
case "$*" in
*--version*) echo "gobench version 7"; exit 0 ;;
*--dry-run*) echo '{"cells":1,"least_s":0.1,"most_s":0.2}'; exit 0 ;;
*--transport=broken*) echo "gobench: it is broken" >&2; exit 1 ;;
*--transport=wrong*) echo "gobench: data wrong" >&2; exit 3 ;;
esac
for a; do case $a in --output=*) out=${a#--output=} ;; esac; done
id=r$(date +%s%N)
printf '{"schema":"gobench/1","kind":"run","run":"%s","time":"2026-11-21T00:00:00Z","command":["gobench","p2p"],"job":{"launcher":"local","ranks":2}}\n' $id > rows.$$
printf '{"schema":"gobench/1","kind":"point","run":"%s","time":"2026-11-21T00:00:01Z","bench":"pingpong","transport":"smem","level":"device","size_B":8,"ranks":2,"rank_kind":"process","iterations":1,"warmup_dropped":0,"launch":1,"half_rtt_s":{"median":1e-7,"n":1}}\n' $id >> rows.$$
cat rows.$$ >> "$out"
cat rows.$$
rm rows.$$
`

// asked is a sweep of that program over the given transports.
func asked(t *testing.T, transports string) Asked {
	t.Helper()
	folder := t.TempDir()
	t.Chdir(folder)
	program := filepath.Join(folder, "gobench")
	plan := fmt.Sprintf("name = \"x\"\nlaunches = 2\nprograms = [%q]\n\n[[p2p]]\ntransport = [%s]\n", program, transports)
	if err := errors.Join(os.WriteFile(program, []byte(script), 0o755), os.WriteFile("x.toml", []byte(plan), 0o644)); err != nil {
		t.Fatal(err)
	}
	return Asked{Path: "x.toml", File: "x.jsonl", Host: "n1", Version: "7", Form: report.Text,
		Verbs: []sweep.Verb{{Name: "p2p", Flags: []string{"transport", "sizes"}}}}
}

func launched(t *testing.T, path string) []record.Launch {
	t.Helper()
	f, err := record.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return f.Launches
}

// What is in the file is not launched again, also where its last line is torn.
func TestASweepGoesOn(t *testing.T) {
	a := asked(t, `"smem", "tcp"`)
	var out bytes.Buffer
	if err := Sweep(t.Context(), a, &out, &out); err != nil {
		t.Fatal(err, out.String())
	}
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
	out.Reset()
	if err := Sweep(t.Context(), a, &out, &out); err != nil {
		t.Fatal(err, out.String())
	}
	if n := len(launched(t, a.File)); n != 4 || !strings.Contains(out.String(), "of which 3 are in x.jsonl already") {
		t.Errorf("%d launches\n%s", n, out.String())
	}
}

// A program of the same version is another one where its file is: the sweep neither goes on
// with its launches nor mixes the two.
func TestAProgramThatIsBuiltAnew(t *testing.T) {
	a := asked(t, `"smem"`)
	var out bytes.Buffer
	rebuild := func(text string) {
		if err := os.WriteFile("gobench", []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	a.Launches = 1
	if err := Sweep(t.Context(), a, &out, &out); err != nil {
		t.Fatal(err, out.String())
	}
	if all := launched(t, a.File); len(all) != 1 || len(all[0].Build) != 16 {
		t.Fatalf("%+v", all)
	}
	rebuild(script + "#\n")
	err := Sweep(t.Context(), a, &out, &out)
	var usage *UsageError
	if want := "the program has changed since x.jsonl was begun: it holds launches of this sweep by build "; !errors.As(err, &usage) || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v", err)
	}
	rebuild(script + "echo \"#\" >> $0\n")
	a.File, a.Launches = "y.jsonl", 2
	err = Sweep(t.Context(), a, &out, &out)
	var changed *ChangedError
	if !errors.As(err, &changed) || len(launched(t, a.File)) != 1 {
		t.Errorf("%v", err)
	}
}

// A launch that fails is left out in later blocks; wrong data end the sweep.
func TestLaunchesThatFail(t *testing.T) {
	for transports, want := range map[string]FailedError{
		`"smem", "broken"`: {Failed: 1, Of: 4, Code: 1},
		`"wrong"`:          {Failed: 1, Of: 2, Code: 3},
	} {
		a := asked(t, transports)
		var out bytes.Buffer
		err := Sweep(t.Context(), a, &out, &out)
		failed, ok := errors.AsType[*FailedError](err)
		if !ok || *failed != want {
			t.Errorf("%s: %v\n%s", transports, err, out.String())
		}
	}
}

func TestAnInterruptedSweep(t *testing.T) {
	a := asked(t, `"smem"`)
	ctx, cancel := context.WithCancel(t.Context())
	var out bytes.Buffer
	err := Sweep(ctx, a, writer(func(b []byte) {
		if strings.Contains(string(b), "1/2 block 1") {
			cancel()
		}
	}), &out)
	interrupted, ok := errors.AsType[*InterruptedError](err)
	if !ok || interrupted.Done != 0 || interrupted.Of != 2 {
		t.Errorf("%v", err)
	}
}

// writer calls itself with what is written.
type writer func(b []byte)

func (w writer) Write(b []byte) (int, error) {
	w(b)
	return len(b), nil
}

func TestATransportThatDoesNotWork(t *testing.T) {
	a := asked(t, `"smem", "ibv"`)
	a.Available = func(transport string) error {
		if transport == "ibv" {
			return errors.New("there is no adapter")
		}
		return nil
	}
	var out bytes.Buffer
	err := Sweep(t.Context(), a, &out, &out)
	if err == nil || err.Error() != "x.toml:5: there is no adapter; skip-unavailable = true leaves it out" {
		t.Errorf("error %v", err)
	}
}
