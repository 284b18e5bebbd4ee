package main

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"gobench/bench"
	"gobench/experiment"
	"gobench/internal/exit"
	"gobench/record"
)

// The program of the documentation measures with ranks that are processes, from its own arguments,
// and prints a row with an interval for each size.
func TestExampleProgram(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "example")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(program, "an argument of its own")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, size := range []string{"8 B", "64 KiB"} {
		row := regexp.MustCompile(`(?m)^` + size + `: \S+ us \(\S+ to \S+, \d\d? launches\)$`) // 8 to 16
		if !row.Match(out) {
			t.Errorf("no row of %s in\n%s", size, out)
		}
	}
}

// An error of the Sink ends the experiment.
func TestSinkErrorEndsTheExperiment(t *testing.T) {
	options := experiment.NewP2P()
	options.Transports, options.Sizes, options.RankKind = "smem", "8", "goroutine"
	options.Launches, options.File = 3, "/dev/null"
	full := errors.New("the disk is full")
	result, err := experiment.RunTo(t.Context(), options, refuser{full})
	if !errors.Is(err, full) || result != nil && len(result.Points) > 0 {
		t.Errorf("Run returns %+v, %v", result, err)
	}
}

// A refuser is a Sink that returns an error for the run.
type refuser struct{ err error }

func (r refuser) Run(record.Run) error     { return r.err }
func (r refuser) Point(record.Point) error { return nil }
func (r refuser) Event(bench.Event) error  { return nil }

// Options can be used again: a run does not change them.
func TestRunLeavesOptions(t *testing.T) {
	options := experiment.NewP2P()
	options.Transports, options.Sizes, options.RankKind = "smem", "8", "goroutine"
	options.Launches, options.File = 1, "/dev/null"
	before := *options
	if _, err := experiment.Run(t.Context(), options); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(*options, before) {
		t.Errorf("Run changes the options from\n%+v to\n%+v", before, *options)
	}
}

// A wrong option is a usage error, before anything is started.
func TestRunChecksOptions(t *testing.T) {
	options := experiment.NewP2P()
	options.Transports, options.Sizes = "smem", "many"
	_, err := experiment.Run(context.Background(), options)
	var usage *exit.UsageError
	if !errors.As(err, &usage) || !strings.Contains(err.Error(), "many") {
		t.Errorf("Run with sizes %q returns %v", options.Sizes, err)
	}
}

// With a context that has ended nothing is measured.
func TestRunIsInterrupted(t *testing.T) {
	for _, kind := range []string{"process", "goroutine"} {
		options := experiment.NewP2P()
		options.Transports, options.Sizes, options.RankKind, options.File = "smem", "8", kind, "/dev/null"
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		result, err := experiment.Run(ctx, options)
		if !errors.Is(err, bench.ErrInterrupted) || result != nil && len(result.Points) > 0 {
			t.Errorf("ranks as %s: Run returns %+v, %v", kind, result, err)
		}
	}
}
