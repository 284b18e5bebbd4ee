package launch

import (
	"fmt"
	"strconv"
	"strings"
)

// lookup is os.LookupEnv, or a recorded environment in tests.
type lookup func(name string) (value string, ok bool)

func (env lookup) get(name string) string {
	value, _ := env(name)
	return value
}

func (env lookup) has(names ...string) bool {
	for _, name := range names {
		if _, ok := env(name); !ok {
			return false
		}
	}
	return true
}

// number reads a variable that must be a whole number from lo to hi.
func (env lookup) number(name string, lo, hi int) (int, error) {
	value, ok := env(name)
	if !ok {
		return 0, &EnvError{name, "", "is missing, although other variables of the same launcher are set"}
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < lo || n > hi {
		return 0, &EnvError{name, value, fmt.Sprintf("is not a number from %d to %d", lo, hi)}
	}
	return n, nil
}

// A place is the identity of a rank of another launcher, read from the environment.
type place struct {
	rank, size int
	job        string   // the same in all ranks of a job, and another in other jobs of the launcher
	roots      []string // candidates for the host of rank 0, most likely first; nil: unknown
	hosts      []string // of all ranks; nil: unknown
	secret     string   // that the launcher gives to all ranks of the job; "" = none
}

// maxRanks is the maximum number of ranks that a variable may state.
const maxRanks = 1 << 20

// numbered reads rank and size.
func (env lookup) numbered(rank, size string) (p place, err error) {
	if p.size, err = env.number(size, 1, maxRanks); err != nil {
		return place{}, err
	}
	p.rank, err = env.number(rank, 0, p.size-1)
	return p, err
}

// readExplicit reads --node=i/n, which is used together with --meet.
func readExplicit(env lookup) (place, error) {
	value := env.get(envNode)
	rank, size, ok := parseNode(value)
	if !ok {
		return place{}, &EnvError{envNode, value, "is " + noNode}
	}
	return place{rank: rank, size: size, job: "meet"}, nil
}

const noNode = "not a rank and the number of ranks, such as 0/2 and 1/2"

// parseNode reads the rank and the number of ranks of --node.
func parseNode(value string) (rank, size int, ok bool) {
	i, n, ok := strings.Cut(value, "/")
	rank, e1 := strconv.Atoi(i)
	size, e2 := strconv.Atoi(n)
	return rank, size, ok && e1 == nil && e2 == nil && rank >= 0 && size >= 1 && rank < size && size <= maxRanks
}

// readPMIx reads the variables that Open MPI's mpirun sets for ranks with PMIx. Without them only
// libpmix knows the number of ranks.
func readPMIx(env lookup) (place, error) {
	if !env.has("OMPI_COMM_WORLD_SIZE") {
		return place{}, &EnvError{"PMIX_RANK", env.get("PMIX_RANK"), "comes without OMPI_COMM_WORLD_SIZE, so that the number of ranks is not known: start with --node=RANK/SIZE --meet=HOST:PORT, or by another launcher"}
	}
	p, err := env.numbered("PMIX_RANK", "OMPI_COMM_WORLD_SIZE")
	// Namespaces of Open MPI 4 are bare numbers; the address of mpirun tells jobs of two hosts
	// apart.
	p.job = "pmix " + env.get("PMIX_NAMESPACE") + " " + env.get("OMPI_MCA_orte_hnp_uri")
	return p, err
}

// ofSlurm reports whether the PMIx server belongs to a Slurm step, whose variables are used
// instead.
func ofSlurm(env lookup) bool { return strings.HasPrefix(env.get("PMIX_NAMESPACE"), "slurm.pmix.") }

// slurmStep reports whether the process was started by srun. The script of a job and the shell of
// an allocation have steps with numbers from 0xfffffff0 on, or none.
func slurmStep(env lookup) bool {
	n, err := strconv.ParseUint(env.get("SLURM_STEP_ID"), 10, 32)
	return err == nil && n < 0xfffffff0 && env.has("SLURM_PROCID")
}

func readSlurm(env lookup) (place, error) {
	// Not SLURM_NTASKS, which is that of the whole allocation.
	p, err := env.numbered("SLURM_PROCID", "SLURM_STEP_NUM_TASKS")
	if err != nil {
		return p, err
	}
	p.job = "slurm " + env.get("SLURM_JOB_ID") + "." + env.get("SLURM_STEP_ID")
	if list := env.get("SLURM_STEP_NODELIST"); list != "" {
		if p.roots, err = expandNodes(list); err != nil {
			return p, &EnvError{"SLURM_STEP_NODELIST", list, err.Error()}
		}
		p.hosts = p.roots
	}
	return p, nil
}

func readFlux(env lookup) (place, error) {
	p, err := env.numbered("FLUX_TASK_RANK", "FLUX_JOB_SIZE")
	p.job = "flux " + env.get("FLUX_JOB_ID")
	return p, err
}

func readJSM(env lookup) (place, error) {
	p, err := env.numbered("JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE")
	p.job = "lsf " + env.get("LSB_JOBID") + "." + env.get("JSM_JSRUN_INDEX")
	return p, err
}

// torchrun reports whether the four variables that PyTorch's init_process_group reads are set.
func torchrun(env lookup) bool { return env.has("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT") }

func readTorchrun(env lookup) (place, error) {
	p, err := env.numbered("RANK", "WORLD_SIZE")
	// torchrun may already listen on MASTER_PORT, for its own store.
	p.job = strings.Join([]string{"torchrun", env.get("TORCHELASTIC_RUN_ID"), env.get("MASTER_ADDR"), env.get("MASTER_PORT"), env.get("TORCHELASTIC_RESTART_COUNT")}, " ")
	p.roots = []string{env.get("MASTER_ADDR")}
	return p, err
}

// readLWS reads the variables of a LeaderWorkerSet, whose groups have one process per pod.
func readLWS(env lookup) (place, error) {
	p, err := env.numbered("LWS_WORKER_INDEX", "LWS_GROUP_SIZE")
	p.job = "lws " + env.get("LWS_LEADER_ADDRESS")
	p.roots = []string{env.get("LWS_LEADER_ADDRESS")}
	return p, err
}

// indexed reports whether this pod of an Indexed Job is to be a rank. Kubernetes sets no variable
// with the number of pods, so GOBENCH_NODES must be set.
func indexed(env lookup) bool { return env.has("JOB_COMPLETION_INDEX", envNodes) }

func readKubernetes(env lookup) (place, error) {
	p, err := env.numbered("JOB_COMPLETION_INDEX", envNodes)
	p.job = "kubernetes " + env.get(envMeet)
	return p, err
}

func readBatch(env lookup) (place, error) {
	p, err := env.numbered("AWS_BATCH_JOB_NODE_INDEX", "AWS_BATCH_JOB_NUM_NODES")
	if err != nil {
		return p, err
	}
	root, err := env.number("AWS_BATCH_JOB_MAIN_NODE_INDEX", 0, p.size-1)
	p.rank = (p.rank - root + p.size) % p.size // the address is that of the main node alone
	p.job, _, _ = strings.Cut(env.get("AWS_BATCH_JOB_ID"), "#")
	p.job = "batch " + p.job
	p.roots = []string{"localhost"} // the main node is not told its address
	if address, ok := env("AWS_BATCH_JOB_MAIN_NODE_PRIVATE_IPV4_ADDRESS"); ok {
		p.roots = []string{address}
	}
	return p, err
}
