package rendezvous

import (
	"os"
	"strings"
	"testing"
)

// Variables that contradict each other, or leave something out, are refused with a remedy.
func TestSplitWorldsAreRefused(t *testing.T) {
	for _, test := range []struct{ env, want string }{
		{"PMI_FD=9 PMI_RANK=0 PMI_SIZE=2 PMIX_RANK=1 PMIX_NAMESPACE=prterun-h1-77@1 OMPI_COMM_WORLD_SIZE=4", "one launcher was started below the other"},
		{"PMI_RANK=1 PMI_SIZE=4", `PMI_SIZE="4" in the environment says that this process is one of several`},
		{"PMI_FD=9 PMI_RANK=0 PMI_SIZE=1 OMPI_COMM_WORLD_SIZE=4", `OMPI_COMM_WORLD_SIZE="4" in the environment says that this process is one of several`},
		{"OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=1", `OMPI_COMM_WORLD_SIZE="4"`},
		{"PMIX_RANK=1 PMIX_NAMESPACE=prterun-h1-77@1", "the number of ranks is not known: start with node"},
		{"GOBENCH_NODE=2/2", `GOBENCH_NODE="2/2" in the environment is not a rank and the number of ranks`},
		{"GOBENCH_NODE=0", "is not a rank and the number of ranks"},
		{"ALPS_APP_PE=0", "comes from aprun"},
		{"PALS_RANKID=0 PALS_APINFO=/nowhere", `PALS_APINFO="/nowhere"`},
		{"SLURM_STEP_ID=0 SLURM_PROCID=4 SLURM_STEP_NUM_TASKS=4", `SLURM_PROCID="4" in the environment is not a number from 0 to 3`},
		{"GOBENCH_NODE=1/2 GOBENCH_MEET=h1:99", "anybody could join there without a secret"},
		{"GOBENCH_NODE=1/2 GOBENCH_MEET=h1:99 GOBENCH_SECRET=short", "less than 16 characters"},
		{"GOBENCH_NODE=1/2 GOBENCH_MEET=h1 GOBENCH_SECRET=0123456789abcdef", "is neither HOST:PORT of rank 0 nor file:DIRECTORY"},
	} {
		rank, err := join(t.Context(), environment(strings.Fields(test.env)...), os.Stderr)
		if rank != nil || err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s:\ngot  %v\nwant %s", test.env, err, test.want)
		}
	}
}

// A launcher may bind each rank of a host to cores of its own, or several to the same.
func TestProcessorsOfAHost(t *testing.T) {
	for _, c := range []struct {
		cores string // of each rank: host:cores
		want  int    // on host a
	}{
		{"a:0 a:1", 2}, {"a:0 a:0", 1}, {"a:0-15 a:16-31 b:0-63", 32}, {"a:0-7 a:4-11", 12}, {"a:0 a:none", 0}, {"a:0 b:none a:1", 2}, {"a:0 a:", 0},
	} {
		var all []introduction
		for _, rank := range strings.Fields(c.cores) {
			at, cores, _ := strings.Cut(rank, ":")
			all = append(all, introduction{Host: at, Cores: cores})
		}
		if got := processorsOf(all, "a"); got != c.want {
			t.Errorf("%s: %d processors, want %d", c.cores, got, c.want)
		}
	}
}
