package rerun_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gobench/internal/exit"
	"gobench/internal/experiment/rerun"
	"gobench/internal/launch/child"
	"gobench/internal/report/cell"
	"gobench/internal/report/document"
	"gobench/report/capsule"
)

// TestMain runs the tests, or, as a command of a step, appends its arguments to the file ran.
func TestMain(m *testing.M) {
	if len(os.Args) < 2 || strings.HasPrefix(os.Args[1], "-") {
		os.Exit(m.Run())
	}
	f, err := os.OpenFile("ran", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err == nil {
		_, err = f.WriteString(strings.Join(os.Args[1:], " ") + "\n")
	}
	if err != nil || os.Args[1] == "fail" {
		os.Exit(1)
	}
}

// run runs steps in an empty directory, and returns the commands that ran.
func run(t *testing.T, ctx context.Context, steps ...document.Step) (ran []string, failed []error, directory string, err error) {
	t.Helper()
	directory = t.TempDir()
	failed, err = rerun.Run(ctx, steps, rerun.Options{Directory: directory, Progress: func(string) {}, Stderr: io.Discard})
	text, _ := os.ReadFile(filepath.Join(directory, "ran")) // absent: nothing ran
	return strings.Fields(strings.ReplaceAll(string(text), " ", "_")), failed, directory, err
}

func gobench(words ...string) document.Step {
	return document.Step{Words: append([]string{"gobench"}, words...), Program: "gobench", Times: 1}
}

func TestSteps(t *testing.T) {
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "mpirun"), []byte("#!/bin/sh\nshift 2\nexec \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	twice := gobench("p2p", "$(touch x)")
	twice.Times = 2
	launched := func(words ...string) document.Step {
		return document.Step{Words: words, Program: "gobench-mpi", Times: 1}
	}
	ran, failed, directory, err := run(t, t.Context(),
		document.Step{Comment: "nothing"},
		document.Step{File: "plan/s.toml", Lines: []string{"a", "b"}},
		document.Step{Directory: "results"},
		twice,
		gobench("fail"),
		launched("mpirun", "-n", "2", "gobench-mpi", "coll"),
		launched("mpirun", "-x", "SECRET=", "gobench-mpi", "secret"),
		launched("touch", "gobench-mpi", "touched"),
		launched("srun-of-nobody", "gobench-mpi"),
		document.Step{Shell: "export SECRET"}, gobench("meeting"), document.Step{Shell: "wait"},
		gobench("last"),
	)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"p2p_$(touch_x)", "p2p_$(touch_x)", "fail", "coll", "last"}; !slices.Equal(ran, want) {
		t.Errorf("ran %q, want %q", ran, want)
	}
	reasons := []string{"exit code 1", "environment", "touch is no launcher", "srun-of-nobody is no launcher", "by hand"}
	if len(failed) != len(reasons) {
		t.Fatalf("%d reasons: %q", len(failed), failed)
	}
	for i, want := range reasons {
		if !strings.Contains(failed[i].Error(), want) {
			t.Errorf("%q lacks %q", failed[i], want)
		}
	}
	text, err := os.ReadFile(filepath.Join(directory, "plan", "s.toml"))
	if info, e := os.Stat(filepath.Join(directory, "results")); err != nil || string(text) != "a\nb\n" || e != nil || !info.IsDir() {
		t.Errorf("%q, %v, %v", text, err, e)
	}
}

func TestFilesElsewhereAreRefused(t *testing.T) {
	for _, s := range []document.Step{{File: "../x", Lines: []string{"a"}}, {File: "/tmp/x", Lines: []string{"a"}}, {Directory: "a/../../x"}} {
		if ran, _, _, err := run(t, t.Context(), s, gobench("p2p")); err == nil || len(ran) > 0 {
			t.Errorf("%+v: %q, %v", s, ran, err)
		}
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if ran, _, _, err := run(t, ctx, gobench("p2p")); !errors.Is(err, context.Canceled) || len(ran) > 0 {
		t.Errorf("%q, %v", ran, err)
	}
}

// Wrong data outweighs claims that hold or fail.
func TestExitCodes(t *testing.T) {
	holds, fails, missing := capsule.Result{Verdict: capsule.Holds}, capsule.Result{Verdict: capsule.Fails}, capsule.Result{Verdict: capsule.Missing}
	for code, o := range map[int]rerun.Outcome{
		exit.Data:       {Results: []capsule.Result{holds, fails}, Failed: []error{fmt.Errorf("gobench p2p: %w", &child.ExitError{Code: exit.Data})}},
		exit.Regression: {Results: []capsule.Result{holds, missing, fails}, Failed: []error{&child.ExitError{Code: exit.Failed}}},
		exit.Noisy:      {Results: []capsule.Result{holds, missing}},
	} {
		o.Then, o.Now = cell.NewSet(), cell.NewSet()
		err := o.Print(io.Discard, 0)
		if reported, ok := errors.AsType[*exit.ReportedError](err); !ok || reported.Code != code {
			t.Errorf("%v, want exit code %d", err, code)
		}
	}
	for want, results := range map[bool][]capsule.Result{true: {holds}, false: nil} {
		if err := (&rerun.Outcome{Then: cell.NewSet(), Now: cell.NewSet(), Results: results}).Print(io.Discard, 0); (err == nil) != want {
			t.Errorf("%d claims that hold: %v", len(results), err)
		}
	}
}
