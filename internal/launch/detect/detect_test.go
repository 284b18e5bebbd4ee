package detect

import (
	"fmt"
	"strings"
	"testing"
)

func TestDetect(t *testing.T) {
	for _, test := range []struct {
		env  string // of NAME=value words
		want string
	}{
		{"", "singleton  spoken"},
		{"HOME=/ SLURM_JOB_ID=7 PMI_RANK=0", "singleton  spoken"},
		{"GOBENCH_RANK=1 GOBENCH_SIZE=2", "local GOBENCH_RANK=1 spoken"},
		{"GOBENCH_NODE=1/2 PMI_FD=9 PMI_SIZE=4", "meet GOBENCH_NODE=1/2 spoken"},
		{"PMI_FD=9 PMI_SIZE=4 SLURM_PROCID=0 SLURM_STEP_ID=0 PMIX_RANK=0", "pmi PMI_FD=9 spoken"},
		{"PMI_FD=9 PMI_SIZE=1 PMI_RANK=0", "singleton  spoken"},
		{"PMI_PORT=host:99", "pmi PMI_PORT=host:99 spoken"},
		{"PMIX_RANK=3 OMPI_COMM_WORLD_SIZE=4 SLURM_PROCID=0 SLURM_STEP_ID=1 SLURM_STEP_NUM_TASKS=2", "pmix PMIX_RANK=3 spoken"},
		{"PMIX_RANK=3", "pmix PMIX_RANK=3 spoken"},
		{"PMIX_RANK=0 OMPI_COMM_WORLD_SIZE=1", "singleton  spoken"},
		{"PMIX_RANK=3 PMIX_NAMESPACE=slurm.pmix.7.0 SLURM_PROCID=3 SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=4", "slurm SLURM_STEP_ID=0 spoken"},
		{"PALS_RANKID=3 SLURM_PROCID=3 SLURM_STEP_ID=0", "pals PALS_RANKID=3 spoken"},
		{"ALPS_APP_PE=3", "alps ALPS_APP_PE=3 not"},
		{"SLURM_PROCID=3 SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=4", "slurm SLURM_STEP_ID=0 spoken"},
		// The script of a batch job, the shell of an allocation, and a step of one process.
		{"SLURM_PROCID=0 SLURM_JOB_ID=7 SLURM_NTASKS=4", "singleton  spoken"},
		{"SLURM_PROCID=0 SLURM_STEP_ID=4294967290 SLURM_STEP_NUM_TASKS=1", "singleton  spoken"},
		{"SLURM_PROCID=0 SLURM_STEP_ID=3 SLURM_STEP_NUM_TASKS=1", "singleton  spoken"},
		{"FLUX_TASK_RANK=1 FLUX_JOB_SIZE=2", "flux FLUX_TASK_RANK=1 spoken"},
		{"JSM_NAMESPACE_RANK=1 JSM_NAMESPACE_SIZE=2", "jsrun JSM_NAMESPACE_RANK=1 spoken"},
		{"RANK=1 WORLD_SIZE=2", "singleton  spoken"},
		{"RANK=1 WORLD_SIZE=2 MASTER_ADDR=a MASTER_PORT=1", "torchrun RANK=1 spoken"},
		{"LWS_WORKER_INDEX=1 LWS_GROUP_SIZE=2", "lws LWS_WORKER_INDEX=1 spoken"},
		{"JOB_COMPLETION_INDEX=1", "singleton  spoken"},
		{"JOB_COMPLETION_INDEX=1 GOBENCH_NODES=2", "kubernetes JOB_COMPLETION_INDEX=1 spoken"},
		{"AWS_BATCH_JOB_NODE_INDEX=1 AWS_BATCH_JOB_NUM_NODES=2 AWS_BATCH_JOB_MAIN_NODE_INDEX=0", "batch AWS_BATCH_JOB_NODE_INDEX=1 spoken"},
	} {
		l := detect(environment(strings.Fields(test.env)...))
		spoken := "not"
		if l.Spoken {
			spoken = "spoken"
		}
		if got := fmt.Sprintf("%s %s %s", l.Name, l.Evidence, spoken); got != test.want || l.About == "" {
			t.Errorf("%q: %s, want %s", test.env, got, test.want)
		}
	}
}

func TestCommand(t *testing.T) {
	for launcher, want := range map[string]string{
		"slurm": "srun -N 2 -n 4", "flux": "flux run -n 4", "jsrun": "jsrun -n 4",
		"torchrun": "", "local": "", "singleton": "",
	} {
		if got := strings.Join(Command(launcher, 2, 4), " "); got != want {
			t.Errorf("%s: %q, want %q", launcher, got, want)
		}
	}
}
