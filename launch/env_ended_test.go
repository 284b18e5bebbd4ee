package launch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestSlurmEnded(t *testing.T) {
	failed := errors.New("exit status 1")
	for _, c := range []struct {
		said string
		err  error
		want bool
	}{
		{"RUNNING\n", nil, false}, {"SUSPENDED", nil, false}, {"CANCELLED\n", nil, true}, {"COMPLETING", nil, true}, {"", nil, true},
		{"slurm_load_jobs error: Invalid job id specified\n", failed, true},
		{"slurm_load_jobs error: Unable to contact slurm controller (connect failure)\n", failed, false},
	} {
		if got := slurmEnded(c.said, c.err); got != c.want {
			t.Errorf("%q, %v: %v, want %v", c.said, c.err, got, c.want)
		}
	}
}

// A job ends after some questions; another scheduler, and a program that is missing, say nothing.
func TestAwaitAllocationEnd(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("PATH", folder)
	if awaitAllocationEnd(t.Context(), "pbs", "7", time.Millisecond) || awaitAllocationEnd(t.Context(), "slurm", "7", time.Millisecond) {
		t.Error("a job has ended of which nobody knows")
	}
	script := "#!/bin/sh\n[ \"$*\" = '--noheader --jobs=7 --format=%T' ] || exit 1\n[ -e " + folder + "/second ] && exit 0\n: >" + folder + "/second\necho RUNNING\n"
	if err := os.WriteFile(filepath.Join(folder, "squeue"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	if !awaitAllocationEnd(t.Context(), "slurm", "7", time.Millisecond) {
		t.Error("the end of the job was not seen")
	}
	if _, err := os.Stat(folder + "/second"); err != nil {
		t.Error("the first answer was that it runs")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if awaitAllocationEnd(ended, "slurm", "7", time.Hour) {
		t.Error("it goes on after its context")
	}
}
