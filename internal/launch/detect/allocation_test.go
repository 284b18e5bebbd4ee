package detect

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAllocations(t *testing.T) {
	directory := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(directory, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, test := range []struct {
		env  []string
		want string // or a part of the error after a !
	}{
		{nil, "<nil>"},
		{[]string{"SLURM_JOB_ID=7", "SLURM_JOB_NODELIST=a[1-2],b", "SLURM_TASKS_PER_NODE=2(x2),1"}, "slurm 7: a1:2 a2:2 b:1"},
		{[]string{"SLURM_JOB_ID=7", "SLURM_JOB_NODELIST=a[1-2]", "SLURM_JOB_CPUS_PER_NODE=16(x2)"}, "slurm 7: a1:16 a2:16"},
		{[]string{"SLURM_JOB_ID=7", "SLURM_JOB_NODELIST=a"}, "slurm 7: a:1"},
		{[]string{"SLURM_JOB_ID=7", "SLURM_JOB_NODELIST=a[1-2]", "SLURM_TASKS_PER_NODE=2(x2)", "SLURM_HET_SIZE=2", "SLURM_JOB_NODELIST_HET_GROUP_0=a[1-2]", "SLURM_TASKS_PER_NODE_HET_GROUP_0=2(x2)",
			"SLURM_JOB_NODELIST_HET_GROUP_1=b,a2", "SLURM_JOB_CPUS_PER_NODE_HET_GROUP_1=8,1"}, "slurm 7: a1:2 a2:3 b:8"},
		{[]string{"SLURM_JOB_NODELIST=a", "SLURM_HET_SIZE=2", "SLURM_JOB_NODELIST_HET_GROUP_0=a"}, "!SLURM_JOB_NODELIST_HET_GROUP_1 is missing"},
		{[]string{"SLURM_JOB_NODELIST=a", "SLURM_HET_SIZE="}, "slurm : a:1"},
		{[]string{"SLURM_JOB_NODELIST=-a"}, `!has a host that cannot be used: "-a" is no name of a host`},
		{[]string{"SLURM_JOB_NODELIST=a", "SLURM_HET_SIZE=x"}, "!goes with \"x\" in SLURM_HET_SIZE"},
		{[]string{"SLURM_JOB_NODELIST=a[1-2]", "SLURM_TASKS_PER_NODE=2(x999999999)"}, "!no list of numbers"},
		{[]string{"SLURM_JOB_NODELIST=a[1-2"}, "!brackets"},
		{[]string{"SLURM_JOB_NODELIST=-oProxyCommand=x"}, "!no name of a host"},
		{[]string{"PBS_JOBID=9.server", "PBS_NODEFILE=" + file("pbs", "n1\nn1\nn2\nn1\n")}, "pbs 9.server: n1:3 n2:1"},
		{[]string{"PBS_NODEFILE=/nowhere"}, `!PBS_NODEFILE="/nowhere" in the environment names a list of hosts that cannot be used: open /nowhere: no such file or directory; name the hosts with hosts=LIST`},
		{[]string{"PBS_NODEFILE=" + file("empty", "")}, "!names no host"},
		{[]string{"LSB_JOBID=3", "LSB_DJOB_HOSTFILE=" + file("lsf", "h1\nh2\nh2\n")}, "lsf 3: h1:1 h2:2"},
		{[]string{"LSB_JOBID=3", "LSB_MCPU_HOSTS=h1 16 h2 8"}, "lsf 3: h1:16 h2:8"},
		{[]string{"LSB_JOBID=3", "LSB_MCPU_HOSTS=h1 4 h2 8 h1 2"}, "lsf 3: h1:6 h2:8"},
		{[]string{"LSB_MCPU_HOSTS=h1 16 h2"}, "!without a number"},
		{[]string{"JOB_ID=5", "PE_HOSTFILE=" + file("sge", "h1 4 all.q@h1 UNDEFINED\nh2 2 all.q@h2 <NULL>\n")}, "gridengine 5: h1:4 h2:2"},
		{[]string{"K_MPI_JOB_ROLE=launcher", "OMPI_MCA_orte_default_hostfile=" + file("ompi", "w-0.w slots=2\n# no\nw-1.w slots=2\n")}, "mpi-operator launcher: w-0.w:2 w-1.w:2"},
		{[]string{"K_MPI_JOB_ROLE=launcher", "HYDRA_HOST_FILE=" + file("hydra", "w-0.w:2\nw-1.w\n")}, "mpi-operator launcher: w-0.w:2 w-1.w:1"},
		{[]string{"K_MPI_JOB_ROLE=launcher", "I_MPI_HYDRA_HOST_FILE=" + file("intel", "w-0.w:2\nw-1.w:2\n")}, "mpi-operator launcher: w-0.w:2 w-1.w:2"},
		{[]string{"SLURM_JOB_ID=7", "SLURM_JOB_NODELIST=a[1-2]", "SLURM_STEP_ID=4294967291", "SLURM_PROCID=0"}, "slurm 7: a1:1 a2:1"},
		{[]string{"SLURM_JOB_ID=7", "SLURM_JOB_NODELIST=a[1-2]", "SLURM_STEP_ID=0", "SLURM_PROCID=0", "SLURM_STEP_NUM_TASKS=1"}, "<nil>"},
		{[]string{"HYDRA_HOST_FILE=" + file("other", "w-0.w:2\n")}, "<nil>"},
	} {
		a, err := findAllocation(environment(test.env...))
		got := "<nil>"
		if a != nil {
			got = a.Scheduler + " " + a.Job + ":"
			for _, h := range a.Hosts {
				got += fmt.Sprintf(" %s:%d", h.Name, h.Slots)
			}
		}
		cause, fails := strings.CutPrefix(test.want, "!")
		if fails && (err == nil || !strings.Contains(err.Error(), cause)) || !fails && (err != nil || got != test.want) {
			t.Errorf("%v:\ngot  %s, %v\nwant %s", test.env, got, err, test.want)
		}
	}
}
