// Package detect reads what the environment of this process says about the job to which it belongs:
// the launcher that has started it and as which rank, the hosts that a scheduler has allocated, and
// the variables by which ranks of this program learn their identity.
package detect

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"gobench/internal/remedy"
)

// A Launcher identifies the program that started this process.
type Launcher struct {
	Name     string // "pmi", "pmix", "pals", "slurm", "local", "singleton" and so on
	About    string // one line
	Evidence string // the variable that identifies it, as NAME=value; empty for singleton
	Spoken   bool   // whether this program can take part in a job of that launcher; else rendezvous.FromEnv fails
}

// Bootstrap describes one launcher: how its processes are recognised and become ranks.
type Bootstrap struct {
	Name  string
	about remedy.Text
	// Programs start ranks by this launcher, the usual one first, with these arguments, in which
	// HOSTS and RANKS stand for numbers ("" = "-n RANKS"); nil if people start none.
	Programs  []string
	arguments string
	// Signs are variables of which this launcher sets at least one. identity lists further
	// variables (or prefixes, with a final *) that contain the rank of a process: child processes
	// do not get them.
	Signs, identity []string
	// fits reports whether the process belongs to this launcher, if a sign is set; nil if always.
	fits func(Lookup) bool
	// Read returns the identity of this process; nil if only the interface of the launcher tells
	// it.
	Read func(Lookup) (Identity, error)
	// Bridged reports whether the launcher has an interface by a library, to which a bridge can
	// connect the process; nil if none has.
	Bridged func(Lookup) bool
	// Refuse is the reason why processes of this launcher cannot become ranks without a bridge,
	// with a remedy; nil if they can.
	Refuse *remedy.Text
}

// Names of launchers that transport the exchanges of their ranks. Ranks of the others connect over
// the network.
const (
	Local = "local" // this program
	PMI   = "pmi"
)

// Bootstraps are tried in this order. The most specific launcher comes first, because processes
// inherit the variables of outer launchers: ranks of mpirun inside an allocation of Slurm have the
// variables of the step that started Open MPI's daemons.
var Bootstraps = []Bootstrap{
	{Name: "meet", about: remedy.Textf("%v and %v, or GOBENCH_NODE and GOBENCH_MEET", remedy.Named("node"), remedy.Named("meet")),
		Signs: []string{EnvNode}, Read: readExplicit},
	{Name: PMI, about: remedy.Textf("the PMI-1 socket of mpiexec.hydra, srun --mpi=pmi2 or Flux"),
		Programs: []string{"mpiexec.hydra"},
		Signs:    []string{"PMI_FD", "PMI_PORT"}, identity: []string{"PMI_ID", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"}},
	{Name: "pmix", about: remedy.Textf("mpirun of Open MPI, prterun"),
		Programs: []string{"mpirun", "orterun", "prun"},
		Signs:    []string{"PMIX_RANK"}, identity: []string{"PMIX_*", "OMPI_COMM_WORLD_*"},
		fits: func(env Lookup) bool { return !OfSlurm(env) }, Read: readPMIx,
		Bridged: always},
	{Name: "pals", about: remedy.Textf("Cray PALS: mpiexec of PBS, or srun --mpi=cray_shasta"),
		Programs: []string{"mpiexec"},
		Signs:    []string{"PALS_RANKID"}, identity: []string{"PALS_NODEID", "PALS_LOCAL_RANKID", "PMI_LOCAL_RANK", "PMI_LOCAL_SIZE"},
		Read: readPALS},
	{Name: "alps", about: remedy.Textf("aprun of Cray ALPS"),
		Programs: []string{"aprun"},
		Signs:    []string{"ALPS_APP_PE"}, identity: []string{"PMI_FORK_RANK"}, Bridged: always, Refuse: &refuseALPS},
	{Name: "slurm", about: remedy.Textf("srun"),
		Programs: []string{"srun"}, arguments: "-N HOSTS -n RANKS",
		Signs: []string{"SLURM_STEP_ID"}, identity: []string{"SLURM_PROCID", "SLURM_LOCALID", "SLURM_NODEID"},
		fits: SlurmStep, Read: readSlurm, Bridged: OfSlurm},
	{Name: "flux", about: remedy.Textf("flux run -o pmi=none"),
		Programs: []string{"flux"}, arguments: "run -n RANKS",
		Signs: []string{"FLUX_TASK_RANK"}, identity: []string{"FLUX_TASK_LOCAL_ID"}, Read: readFlux},
	{Name: "jsrun", about: remedy.Textf("jsrun of LSF"),
		Programs: []string{"jsrun"},
		Signs:    []string{"JSM_NAMESPACE_RANK"}, identity: []string{"JSM_NAMESPACE_*"}, Read: readJSM},
	{Name: "torchrun", about: remedy.Textf("torchrun, or a PyTorchJob"),
		Signs: []string{"RANK"}, identity: []string{"LOCAL_RANK", "GROUP_RANK", "ROLE_RANK"},
		fits: torchrun, Read: readTorchrun},
	{Name: "lws", about: remedy.Textf("a LeaderWorkerSet of Kubernetes"),
		Signs: []string{"LWS_WORKER_INDEX"}, Read: readLWS},
	{Name: "kubernetes", about: remedy.Textf("an Indexed Job of Kubernetes"),
		Signs: []string{"JOB_COMPLETION_INDEX"}, fits: indexed, Read: readKubernetes},
	{Name: "batch", about: remedy.Textf("a multi-node job of AWS Batch"),
		Signs: []string{"AWS_BATCH_JOB_NODE_INDEX"}, Read: readBatch},
}

func always(Lookup) bool { return true }

// Command returns the words before the program in a command that starts ranks by the launcher of
// that name, nil if people start none by it.
func Command(launcher string, hosts, ranks int) []string {
	i := slices.IndexFunc(Bootstraps, func(b Bootstrap) bool { return b.Name == launcher && b.Programs != nil })
	if i < 0 {
		return nil
	}
	numbers := strings.NewReplacer("HOSTS", strconv.Itoa(hosts), "RANKS", strconv.Itoa(ranks))
	return append([]string{Bootstraps[i].Programs[0]}, strings.Fields(numbers.Replace(cmp.Or(Bootstraps[i].arguments, "-n RANKS")))...)
}

// local is the launcher of this program. It removes the variables of other launchers from the
// environment of its ranks, so that it can be tried last.
var local = Bootstrap{Name: Local, about: remedy.Textf("ranks started by this program"), Signs: []string{EnvRank}}

// FindLauncher returns the launcher that started this process, "singleton" if there is none. It
// reads the environment only, and is called before rendezvous.FromEnv, which changes it. The only
// rank of a job is a singleton, too: it may start ranks itself.
func FindLauncher() Launcher { return detect(os.LookupEnv) }

func detect(env Lookup) Launcher {
	b, alone := FindBootstrap(env)
	if b == nil || alone {
		return Launcher{Name: "singleton", About: "a process on its own", Spoken: true}
	}
	return Launcher{b.Name, b.about.String(), b.Evidence(env), b.Refuse == nil || BridgeProgram() != ""}
}

// FindBootstrap returns the launcher of this process, nil if there is none, and whether the process
// is the only rank of its job.
func FindBootstrap(env Lookup) (b *Bootstrap, alone bool) {
	for _, b := range append(slices.Clone(Bootstraps), local) {
		if b.Evidence(env) == "" {
			continue
		}
		if b.Read == nil {
			return &b, b.Name == PMI && env.Get("PMI_SIZE") == "1"
		}
		p, err := b.Read(env)
		return &b, err == nil && p.Size == 1
	}
	return nil, false
}

// Evidence returns the first sign as NAME=value, "" if there is none.
func (b Bootstrap) Evidence(env Lookup) string {
	if b.fits != nil && !b.fits(env) {
		return ""
	}
	for _, sign := range b.Signs {
		if value, ok := env(sign); ok {
			return sign + "=" + value
		}
	}
	return ""
}

// owns reports whether a variable contains the rank of a process of this launcher.
func (b Bootstrap) owns(name string) bool {
	if slices.Contains(b.Signs, name) {
		return true
	}
	return slices.ContainsFunc(b.identity, func(pattern string) bool {
		prefix, wild := strings.CutSuffix(pattern, "*")
		return name == pattern || wild && strings.HasPrefix(name, prefix)
	})
}

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

// BridgeName is the file beside a static program that can be its bridge.
const BridgeName = "gobench-full"

// ownBridge reports whether this program itself can be the bridge. It is set by RegisterBridge.
var ownBridge bool

// RegisterBridge declares, before main, that this program is a bridge if its argument is
// rendezvous.BridgeVerb.
func RegisterBridge() { ownBridge = true }

// BridgeProgram returns the program that is the bridge, "" if there is none.
func BridgeProgram() string {
	if ownBridge {
		return "/proc/self/exe"
	}
	own, err := os.Executable()
	if err != nil {
		return ""
	}
	full := filepath.Join(filepath.Dir(own), BridgeName)
	if unix.Access(full, unix.X_OK) != nil {
		return ""
	}
	return full
}

// A NestedError reports that a rank has called rendezvous.FromEnv again or has tried to launch
// ranks. Without this check a program that does not call rendezvous.FromEnv would fork itself
// endlessly.
type NestedError struct {
	Inside string // "rank 1 of 4"
}

func (e *NestedError) Error() string {
	return fmt.Sprintf("this process already belongs to a job (as %s or a child of it): a rank cannot launch ranks", e.Inside)
}

// An EnvError reports launcher variables that are invalid or contradict this process.
type EnvError struct {
	Variable, Value, Problem string
}

func (e *EnvError) Error() string {
	if e.Value == "" {
		return fmt.Sprintf("%s in the environment %s", e.Variable, e.Problem)
	}
	return fmt.Sprintf("%s=%q in the environment %s", e.Variable, e.Value, e.Problem)
}

// CheckNested returns an error in a process that belongs to a job.
func CheckNested() error {
	for _, name := range []string{EnvInside, EnvRank} {
		if inside, ok := os.LookupEnv(name); ok {
			if name == EnvRank {
				inside = "rank " + inside
			}
			return &NestedError{inside}
		}
	}
	return nil
}

// Variables that launch.Local sets in the environment of a rank. rendezvous.FromEnv removes them.
const (
	EnvPrefix = "GOBENCH_"
	EnvRank   = "GOBENCH_RANK"
	EnvSize   = "GOBENCH_SIZE"
	EnvFD     = "GOBENCH_FD"    // descriptor of the socket to the launcher
	EnvInode  = "GOBENCH_INODE" // its inode, to tell it from anything else that has this number by now
	EnvSeats  = "GOBENCH_SEATS" // cores of the threads of the rank; absent: it is not pinned
	EnvHosts  = "GOBENCH_HOSTS" // which ranks are on which host; absent: all are on this one

	// EnvInside is set by rendezvous.FromEnv, so that child processes know that they run inside a
	// job.
	EnvInside = "GOBENCH_INSIDE"
)

// Variables with the address and the secret by which ranks connect if their launcher does not carry
// their exchanges.
const (
	EnvNode     = "GOBENCH_NODE"          // rank and number of ranks: 0/2
	envNodes    = "GOBENCH_NODES"         // number of pods of an Indexed Job
	EnvMeet     = "GOBENCH_MEET"          // HOST:PORT of rank 0, or file:DIRECTORY that all ranks share
	EnvSecret   = "GOBENCH_SECRET"        // the same in all ranks, and known to nobody else
	EnvInsecure = "GOBENCH_INSECURE_MEET" // 1: without a secret
)

// OwnVariables lists them. Other variables with the prefix GOBENCH_ are kept.
var OwnVariables = []string{EnvRank, EnvSize, EnvFD, EnvInode, EnvSeats, EnvHosts, EnvInside}

// CleanEnv removes all variables that contain the rank of this process. Otherwise all ranks forked
// by a rank of mpiexec or srun would have the rank of their parent. Variables that describe the
// surrounding job (SLURM_JOB_ID) are kept. Of a name that occurs more than once the last value is
// kept, as in os/exec.
func CleanEnv(env []string) []string {
	var clean []string
	seen := make(map[string]bool, len(env))
	for _, variable := range slices.Backward(env) {
		name, _, _ := strings.Cut(variable, "=")
		foreign := slices.ContainsFunc(Bootstraps, func(b Bootstrap) bool { return b.owns(name) })
		if foreign || seen[name] || slices.Contains(OwnVariables, name) {
			continue
		}
		seen[name] = true
		clean = append(clean, variable)
	}
	slices.Reverse(clean)
	return clean
}

// Leave makes this process, which a process of a job has started, one that may start jobs itself.
func Leave() { os.Unsetenv(EnvInside) }
