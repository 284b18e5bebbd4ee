package detect

import "testing"

// TestScheduledJob names the scheduler and its job from the variables that they set.
func TestScheduledJob(t *testing.T) {
	for _, c := range []struct {
		env            map[string]string
		scheduler, job string
	}{
		{map[string]string{}, "", ""},
		{map[string]string{"SLURM_JOB_ID": "17", "SLURM_STEP_ID": "0"}, "slurm", "17"},
		{map[string]string{"PBS_JOBID": "17.head"}, "pbs", "17.head"},
		{map[string]string{"LSB_JOBID": "17"}, "lsf", "17"},
		{map[string]string{"JOB_ID": "17"}, "", ""},
		{map[string]string{"JOB_ID": "17", "SGE_ROOT": "/opt/sge"}, "gridengine", "17"},
		{map[string]string{"FLUX_JOB_ID": "f58", "SLURM_JOB_ID": "17"}, "flux", "f58"},
		{map[string]string{"HOSTNAME": "h1"}, "", ""},
		{map[string]string{"HOSTNAME": "job-0-x", "KUBERNETES_SERVICE_HOST": "10.0.0.1"}, "kubernetes", "job-0-x"},
	} {
		env := func(name string) (string, bool) { v, ok := c.env[name]; return v, ok }
		if scheduler, job := scheduledJob(env); scheduler != c.scheduler || job != c.job {
			t.Errorf("%v: %q, %q", c.env, scheduler, job)
		}
	}
}
