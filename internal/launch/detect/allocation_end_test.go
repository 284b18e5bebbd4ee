package detect

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestSlurmAnswer(t *testing.T) {
	failed := errors.New("exit status 1")
	for _, c := range []struct {
		said        string
		err         error
		live, ended bool
	}{
		{"RUNNING\n", nil, true, false}, {"SUSPENDED", nil, true, false}, {"CANCELLED\n", nil, false, true}, {"COMPLETING", nil, false, true}, {"", nil, false, true},
		{"slurm_load_jobs error: Invalid job id specified\n", failed, false, true},
		{"slurm_load_jobs error: Unable to contact slurm controller (connect failure)\n", failed, false, false},
	} {
		if live, ended := slurmAnswer(c.said, c.err); live != c.live || ended != c.ended {
			t.Errorf("%q, %v: live %v, ended %v, want %v, %v", c.said, c.err, live, ended, c.live, c.ended)
		}
	}
}

// A controller is asked more and more rarely, and a job that has ended is noticed within 20 s.
func TestPeriods(t *testing.T) {
	asked, period := 1, allocationPeriod
	for now := time.Duration(0); now < time.Hour; now += period {
		asked++
		if period = nextPeriod(period); period > 20*time.Second {
			t.Fatalf("the %dth period is %v", asked, period)
		}
	}
	if asked > 200 { // 720 of 5 s
		t.Errorf("it is asked %d times in an hour", asked)
	}
}

// A job has ended if it was live before. Another scheduler, a program that is missing, and a job
// that was never live say nothing.
func TestAwaitAllocationEnd(t *testing.T) {
	directory := t.TempDir()
	t.Setenv("PATH", directory)
	if awaitAllocationEnd(t.Context(), "pbs", "7", time.Millisecond) || awaitAllocationEnd(t.Context(), "slurm", "7", time.Millisecond) {
		t.Error("a job has ended of which nobody knows")
	}
	const unknown, silent = "echo Invalid job id specified; exit 1", "echo no answer; exit 1"
	for _, c := range []struct {
		name    string
		answers []string // of squeue, one after the other
		want    bool
	}{
		{"ended", []string{"echo RUNNING", silent, "echo PENDING", ""}, true},
		{"forgotten", []string{silent, "echo RUNNING", unknown}, true},
		{"never live, from the environment of another cluster", []string{silent, unknown}, false},
		{"never live, from a session that has ended", []string{"echo CANCELLED"}, false},
	} {
		script := "#!/bin/sh\n[ \"$*\" = '--noheader --jobs=7 --format=%T' ] || exit 1\n"
		for i, answer := range c.answers {
			if i < len(c.answers)-1 {
				asked := filepath.Join(directory, strings.ReplaceAll(c.name, " ", "-")+strconv.Itoa(i))
				script += "if ! [ -e " + asked + " ]; then : >" + asked + "; " + answer + "; exit; fi\n"
			} else {
				script += answer + "\n"
			}
		}
		if err := os.WriteFile(filepath.Join(directory, "squeue"), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		if got := awaitAllocationEnd(t.Context(), "slurm", "7", time.Millisecond); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if awaitAllocationEnd(ended, "slurm", "7", time.Hour) {
		t.Error("it goes on after its context")
	}
}
