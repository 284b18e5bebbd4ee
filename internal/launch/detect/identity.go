package detect

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"gobench/internal/launch/hostlist"
	"gobench/internal/remedy"
)

// Lookup is os.LookupEnv, or a recorded environment in tests.
type Lookup func(name string) (value string, ok bool)

// Get returns the value of a variable, "" if it is not set.
func (env Lookup) Get(name string) string {
	value, _ := env(name)
	return value
}

// Has reports whether all variables are set.
func (env Lookup) Has(names ...string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { _, ok := env(name); return !ok })
}

// Number reads a variable that must be a whole number from lo to hi.
func (env Lookup) Number(name string, lo, hi int) (int, error) {
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

// An Identity is the identity of a rank of another launcher, read from the environment.
type Identity struct {
	Rank, Size int
	Job        string   // the same in all ranks of a job, and another in other jobs of the launcher
	Roots      []string // candidates for the host of rank 0, most likely first; nil if unknown
	Hosts      []string // of all ranks; nil if unknown
	Secret     string   // that the launcher gives to all ranks of the job; "" if it gives none
}

// Numbered reads rank and size.
func (env Lookup) Numbered(rank, size string) (p Identity, err error) {
	if p.Size, err = env.Number(size, 1, hostlist.MaxRanks); err != nil {
		return Identity{}, err
	}
	p.Rank, err = env.Number(rank, 0, p.Size-1)
	return p, err
}

// readExplicit reads --node=i/n, which is used together with --meet.
func readExplicit(env Lookup) (Identity, error) {
	value := env.Get(EnvNode)
	rank, size, ok := ParseNode(value)
	if !ok {
		return Identity{}, &EnvError{EnvNode, value, "is " + NoNode}
	}
	return Identity{Rank: rank, Size: size, Job: "meet"}, nil
}

// NoNode is the reason why a value of --node is refused.
const NoNode = "not a rank and the number of ranks, such as 0/2 and 1/2"

// ParseNode reads the rank and the number of ranks of --node.
func ParseNode(value string) (rank, size int, ok bool) {
	i, n, ok := strings.Cut(value, "/")
	rank, e1 := strconv.Atoi(i)
	size, e2 := strconv.Atoi(n)
	return rank, size, ok && e1 == nil && e2 == nil && rank >= 0 && size >= 1 && rank < size && size <= hostlist.MaxRanks
}

// readPMIx reads the variables that Open MPI's mpirun sets for ranks with PMIx. Without them only
// libpmix knows the number of ranks.
func readPMIx(env Lookup) (Identity, error) {
	if !env.Has("OMPI_COMM_WORLD_SIZE") {
		return Identity{}, &EnvError{"PMIX_RANK", env.Get("PMIX_RANK"), fmt.Sprintf("comes without OMPI_COMM_WORLD_SIZE, so that the number of ranks is not known: start with %v %v, or by another launcher", remedy.Set("node", "RANK/SIZE"), remedy.Set("meet", "HOST:PORT"))}
	}
	p, err := env.Numbered("PMIX_RANK", "OMPI_COMM_WORLD_SIZE")
	// Namespaces of Open MPI 4 are bare numbers; the address of mpirun tells jobs of two hosts
	// apart.
	p.Job = "pmix " + env.Get("PMIX_NAMESPACE") + " " + env.Get("OMPI_MCA_orte_hnp_uri")
	return p, err
}

// OfSlurm reports whether the PMIx server belongs to a Slurm step, whose variables are used
// instead.
func OfSlurm(env Lookup) bool { return strings.HasPrefix(env.Get("PMIX_NAMESPACE"), "slurm.pmix.") }

// SlurmStep reports whether the process was started by srun. The script of a job and the shell of
// an allocation have steps with numbers from 0xfffffff0 on, or none.
func SlurmStep(env Lookup) bool {
	n, err := strconv.ParseUint(env.Get("SLURM_STEP_ID"), 10, 32)
	return err == nil && n < 0xfffffff0 && env.Has("SLURM_PROCID")
}

func readSlurm(env Lookup) (Identity, error) {
	// Not SLURM_NTASKS, which counts the whole allocation.
	p, err := env.Numbered("SLURM_PROCID", "SLURM_STEP_NUM_TASKS")
	if err != nil {
		return p, err
	}
	p.Job = "slurm " + env.Get("SLURM_JOB_ID") + "." + env.Get("SLURM_STEP_ID")
	if list := env.Get("SLURM_STEP_NODELIST"); list != "" {
		if p.Roots, err = hostlist.ExpandNodes(list); err != nil {
			return p, &EnvError{"SLURM_STEP_NODELIST", list, err.Error()}
		}
		p.Hosts = p.Roots
	}
	return p, nil
}

func readFlux(env Lookup) (Identity, error) {
	p, err := env.Numbered("FLUX_TASK_RANK", "FLUX_JOB_SIZE")
	p.Job = "flux " + env.Get("FLUX_JOB_ID")
	return p, err
}

func readJSM(env Lookup) (Identity, error) {
	p, err := env.Numbered("JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE")
	p.Job = "lsf " + env.Get("LSB_JOBID") + "." + env.Get("JSM_JSRUN_INDEX")
	return p, err
}

// torchrun reports whether the four variables that PyTorch's init_process_group reads are set.
func torchrun(env Lookup) bool { return env.Has("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT") }

func readTorchrun(env Lookup) (Identity, error) {
	p, err := env.Numbered("RANK", "WORLD_SIZE")
	// Older operators tell the first pod of a PyTorchJob localhost and the others its name. Without
	// the host, jobs of two hosts that share a home directory would meet in one file.
	master := env.Get("MASTER_ADDR")
	if master == "localhost" {
		master, _ = os.Hostname()
	}
	// torchrun may already listen on MASTER_PORT, for its own store.
	p.Job = strings.Join([]string{"torchrun", env.Get("TORCHELASTIC_RUN_ID"), master, env.Get("MASTER_PORT"), env.Get("TORCHELASTIC_RESTART_COUNT")}, " ")
	p.Roots = []string{env.Get("MASTER_ADDR")}
	return p, err
}

// readLWS reads the variables of a LeaderWorkerSet, whose groups have one process per pod.
func readLWS(env Lookup) (Identity, error) {
	p, err := env.Numbered("LWS_WORKER_INDEX", "LWS_GROUP_SIZE")
	p.Job = "lws " + env.Get("LWS_LEADER_ADDRESS")
	p.Roots = []string{env.Get("LWS_LEADER_ADDRESS")}
	return p, err
}

// indexed reports whether this pod of an Indexed Job is to be a rank. Kubernetes sets no variable
// with the number of pods, so GOBENCH_NODES must be set.
func indexed(env Lookup) bool { return env.Has("JOB_COMPLETION_INDEX", envNodes) }

func readKubernetes(env Lookup) (Identity, error) {
	p, err := env.Numbered("JOB_COMPLETION_INDEX", envNodes)
	p.Job = "kubernetes " + env.Get(EnvMeet)
	return p, err
}

func readBatch(env Lookup) (Identity, error) {
	p, err := env.Numbered("AWS_BATCH_JOB_NODE_INDEX", "AWS_BATCH_JOB_NUM_NODES")
	if err != nil {
		return p, err
	}
	root, err := env.Number("AWS_BATCH_JOB_MAIN_NODE_INDEX", 0, p.Size-1)
	p.Rank = (p.Rank - root + p.Size) % p.Size // the address of the main node alone
	p.Job, _, _ = strings.Cut(env.Get("AWS_BATCH_JOB_ID"), "#")
	p.Job = "batch " + p.Job
	p.Roots = []string{"localhost"} // the main node is not told its address
	if address, ok := env("AWS_BATCH_JOB_MAIN_NODE_PRIVATE_IPV4_ADDRESS"); ok {
		p.Roots = []string{address}
	}
	return p, err
}
