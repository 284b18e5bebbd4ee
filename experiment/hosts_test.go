package experiment

import (
	"testing"

	"gobench/internal/launch/detect"
)

// A command ends with an allocation only if its hosts come from it, not with one of which the
// environment knows besides.
func TestHostsOfAnAllocation(t *testing.T) {
	for _, name := range detect.NoAllocation() {
		t.Setenv(name[:len(name)-1], "")
	}
	t.Setenv("SLURM_JOB_ID", "7")
	t.Setenv("SLURM_JOB_NODELIST", "a,b")
	for list, want := range map[string]string{"": "7", "a,b": ""} {
		h := &Hosts{List: list}
		if _, err := h.find(t.Context(), &Launch{}); err != nil || len(h.found) != 2 {
			t.Fatalf("hosts %q: %v, %v", list, h.found, err)
		}
		job := ""
		if h.allocation != nil {
			job = h.allocation.Job
		}
		if job != want {
			t.Errorf("hosts %q: they are watched with job %q, want %q", list, job, want)
		}
	}
}
