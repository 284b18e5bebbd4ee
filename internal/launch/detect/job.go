package detect

import "os"

// schedulers lists the variables with the identifier of a job. Schedulers that run below others
// come first. sign is a second variable that must be set if the first has a common name.
var schedulers = []struct{ scheduler, job, sign string }{
	{"flux", "FLUX_JOB_ID", ""},
	{"slurm", "SLURM_JOB_ID", ""},
	{"pbs", "PBS_JOBID", ""},
	{"lsf", "LSB_JOBID", ""},
	{"cobalt", "COBALT_JOBID", ""},
	{"gridengine", "JOB_ID", "SGE_ROOT"},
	{"oar", "OAR_JOB_ID", ""},
	{"batch", "AWS_BATCH_JOB_ID", ""},
	{"kubernetes", "HOSTNAME", "KUBERNETES_SERVICE_HOST"}, // the name of the pod
}

// ScheduledJob returns the scheduler that has started this process or its parents, and the
// identifier of its job there; both are empty if there is none.
func ScheduledJob() (scheduler, job string) { return scheduledJob(os.LookupEnv) }

func scheduledJob(env Lookup) (scheduler, job string) {
	for _, s := range schedulers {
		if id := env.Get(s.job); id != "" && (s.sign == "" || env.Has(s.sign)) {
			return s.scheduler, id
		}
	}
	return "", ""
}
