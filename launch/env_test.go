package launch

import (
	"errors"
	"fmt"
	"os"
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

// The tests are no rank, wherever they run; and whoever pretends is told what is
// wrong.
func TestFromEnv(t *testing.T) {
	for _, name := range ownVariables {
		if value, ok := os.LookupEnv(name); ok {
			t.Setenv(name, value) // restores it
			os.Unsetenv(name)
		}
	}
	if rank, err := FromEnv(); rank != nil || err != nil {
		t.Errorf("a process that is no rank: %v, %v", rank, err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	for _, test := range []struct{ rank, size, fd, core, want string }{
		{"1", "", "", "", "GOBENCH_SIZE in the environment is missing, although there is GOBENCH_RANK"},
		{"1", "0", "3", "", `GOBENCH_SIZE="0"`},
		{"2", "2", "3", "", `GOBENCH_RANK="2" in the environment is not a number from 0 to 1`},
		{"-1", "2", "3", "", `GOBENCH_RANK="-1"`},
		{"one", "2", "3", "", `GOBENCH_RANK="one"`},
		{"1", "2", "2", "", `GOBENCH_FD="2"`},
		{"1", "2", "3", "x", `GOBENCH_SEATS="x"`},
		{"1", "2", "999", "", `GOBENCH_RANK="1" in the environment is left over from another process`},
		{"1", "2", fmt.Sprint(r.Fd()), "", `GOBENCH_RANK="1" in the environment is left over from another process`},
	} {
		t.Run(test.want, func(t *testing.T) {
			for name, value := range map[string]string{envRank: test.rank, envSize: test.size, envFD: test.fd, envInode: "1", envCores: test.core} {
				if value != "" {
					t.Setenv(name, value)
				}
			}
			rank, err := FromEnv()
			var wrong *EnvError
			if rank != nil || !errors.As(err, &wrong) || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("got %v, %v, want %s", rank, err, test.want)
			}
		})
	}
}
