package launch

import (
	"os"
	"slices"
	"strings"
)

// A Launcher identifies the program that started this process.
type Launcher struct {
	Name     string // "pmi", "pmix", "pals", "slurm", "local", "singleton" and so on
	About    string // one line
	Evidence string // the variable that identifies it, as NAME=value; empty for singleton
	Spoken   bool   // whether this program can take part in a job of that launcher; else FromEnv fails
}

// bootstrap describes one launcher: how its processes are recognised and become ranks.
type bootstrap struct {
	name, about string
	// signs are variables of which this launcher sets at least one. identity lists further
	// variables (or prefixes, with a final *) that contain the rank of a process.
	signs, identity []string
	// fits reports whether the process belongs to this launcher, if a sign is set; nil = always.
	fits func(lookup) bool
	// read returns the place of this process.
	read func(lookup) (place, error)
	// bridged reports whether the launcher has an interface by a library, to which a bridge can
	// connect the process; nil: never.
	bridged func(lookup) bool
	// refuse is the reason why processes of this launcher cannot become ranks without a bridge,
	// with a remedy.
	refuse string
	// join makes this process a rank, if the launcher transports the exchanges of ranks or is this
	// program. nil: ranks connect over the network (Meeting).
	join func(lookup) (*Rank, error)
}

// bootstraps are tried in this order. The most specific launcher comes first, because processes
// inherit the variables of outer launchers: ranks of mpirun inside an allocation of Slurm have the
// variables of the step that started Open MPI's daemons.
var bootstraps = []bootstrap{
	{name: "meet", about: "--node and --meet, or GOBENCH_NODE and GOBENCH_MEET",
		signs: []string{envNode}, read: readExplicit},
	{name: "pmi", about: "the PMI-1 socket of mpiexec.hydra, srun --mpi=pmi2 or Flux",
		signs: []string{"PMI_FD", "PMI_PORT"}, identity: []string{"PMI_ID", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
		join: joinPMI},
	{name: "pmix", about: "mpirun of Open MPI, prterun",
		signs: []string{"PMIX_RANK"}, identity: []string{"PMIX_*", "OMPI_COMM_WORLD_*"},
		fits: func(env lookup) bool { return !ofSlurm(env) }, read: readPMIx,
		bridged: always},
	{name: "pals", about: "Cray PALS: mpiexec of PBS, or srun --mpi=cray_shasta",
		signs: []string{"PALS_RANKID"}, identity: []string{"PALS_NODEID", "PALS_LOCAL_RANKID", "PMI_LOCAL_RANK", "PMI_LOCAL_SIZE"},
		read: readPALS},
	{name: "alps", about: "aprun of Cray ALPS",
		signs: []string{"ALPS_APP_PE"}, identity: []string{"PMI_FORK_RANK"}, bridged: always, refuse: refuseALPS},
	{name: "slurm", about: "srun",
		signs: []string{"SLURM_STEP_ID"}, identity: []string{"SLURM_PROCID", "SLURM_LOCALID", "SLURM_NODEID"},
		fits: slurmStep, read: readSlurm, bridged: ofSlurm},
	{name: "flux", about: "flux run -o pmi=none",
		signs: []string{"FLUX_TASK_RANK"}, identity: []string{"FLUX_TASK_LOCAL_ID"}, read: readFlux},
	{name: "jsrun", about: "jsrun of LSF",
		signs: []string{"JSM_NAMESPACE_RANK"}, identity: []string{"JSM_NAMESPACE_*"}, read: readJSM},
	{name: "torchrun", about: "torchrun, or a PyTorchJob",
		signs: []string{"RANK"}, identity: []string{"LOCAL_RANK", "GROUP_RANK", "ROLE_RANK"},
		fits: torchrun, read: readTorchrun},
	{name: "lws", about: "a LeaderWorkerSet of Kubernetes",
		signs: []string{"LWS_WORKER_INDEX"}, read: readLWS},
	{name: "kubernetes", about: "an Indexed Job of Kubernetes",
		signs: []string{"JOB_COMPLETION_INDEX"}, fits: indexed, read: readKubernetes},
	{name: "batch", about: "a multi-node job of AWS Batch",
		signs: []string{"AWS_BATCH_JOB_NODE_INDEX"}, read: readBatch},
}

func always(lookup) bool { return true }

// local is the launcher of this program. It removes the variables of other launchers from the
// environment of its ranks, so that it can be tried last.
var local = bootstrap{name: "local", about: "ranks started by this program", signs: []string{envRank}, join: func(lookup) (*Rank, error) { return joinLocal() }}

// Detect returns the launcher that started this process, "singleton" if there is none. It reads the
// environment only, and is called before FromEnv, which changes it. The only rank of a job is a
// singleton, too: it may start ranks itself.
func Detect() Launcher { return detect(os.LookupEnv) }

func detect(env lookup) Launcher {
	b, alone := find(env)
	if b == nil || alone {
		return Launcher{Name: "singleton", About: "a process on its own", Spoken: true}
	}
	return Launcher{b.name, b.about, b.evidence(env), b.refuse == "" || bridgeProgram() != ""}
}

// find returns the launcher of this process, nil if there is none, and whether the process is the
// only rank of its job.
func find(env lookup) (b *bootstrap, alone bool) {
	for _, b := range append(slices.Clone(bootstraps), local) {
		if b.evidence(env) == "" {
			continue
		}
		if b.read == nil {
			return &b, b.name == "pmi" && env.get("PMI_SIZE") == "1"
		}
		p, err := b.read(env)
		return &b, err == nil && p.size == 1
	}
	return nil, false
}

// evidence returns the first sign as NAME=value, "" if there is none.
func (b bootstrap) evidence(env lookup) string {
	if b.fits != nil && !b.fits(env) {
		return ""
	}
	for _, sign := range b.signs {
		if value, ok := env(sign); ok {
			return sign + "=" + value
		}
	}
	return ""
}

// owns reports whether a variable contains the rank of a process of this launcher.
func (b bootstrap) owns(name string) bool {
	if slices.Contains(b.signs, name) {
		return true
	}
	return slices.ContainsFunc(b.identity, func(pattern string) bool {
		prefix, wild := strings.CutSuffix(pattern, "*")
		return name == pattern || wild && strings.HasPrefix(name, prefix)
	})
}
