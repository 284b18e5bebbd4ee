package launch

import (
	"os"
	"slices"
	"strings"
)

// Launcher says which launcher started this process.
type Launcher struct {
	Name     string // "pmi", "pmix", "pals", "slurm", "local" or "singleton"
	About    string // one line
	Evidence string // the variable that told, as NAME=value; empty for singleton
	Spoken   bool   // whether this program can take part in a job of that launcher
}

// bootstrap is one way of learning who this process is. A new launcher is one
// more of these, and a link for Exchange.
type bootstrap struct {
	name, about string
	// signs are variables of which one must be set for this launcher to be meant;
	// identity are more names (or prefixes, with a final *) that say which rank a
	// process is.
	signs, identity []string
	// join makes this process a rank. nil: recognised but not spoken.
	join func() (*Rank, error)
}

// bootstraps are in the order in which they are asked: the most specific launcher
// first, because the outer ones leave their variables to everything that runs
// below them.
var bootstraps = []bootstrap{
	{name: "pmi", about: "the PMI-1 socket of mpiexec.hydra, srun --mpi=pmi2 or Flux",
		signs: []string{"PMI_FD", "PMI_PORT"}, identity: []string{"PMI_ID", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"}},
	{name: "pmix", about: "PMIx of mpirun (Open MPI), prterun or srun --mpi=pmix",
		signs: []string{"PMIX_RANK"}, identity: []string{"PMIX_*", "OMPI_COMM_WORLD_*"}},
	{name: "pals", about: "Cray PALS or ALPS",
		signs: []string{"PALS_RANKID", "ALPS_APP_PE"}, identity: []string{"PMI_FORK_RANK"}},
	{name: "slurm", about: "srun --mpi=none",
		signs: []string{"SLURM_PROCID"}, identity: []string{"SLURM_LOCALID", "SLURM_NODEID"}},
}

// local is apart from the others, whose variables it keeps from its ranks; it is
// asked last, but nothing can stand before it.
var local = bootstrap{name: "local", about: "ranks forked on this machine by this program", signs: []string{envRank}, join: joinLocal}

// Detect says which launcher started this process, "singleton" if none, and is
// asked before FromEnv. It only looks at the environment. A launcher that is not
// Spoken is worth a warning: the process takes no part in its job, and is on its
// own.
func Detect() Launcher { return detect(os.LookupEnv) }

func detect(lookup func(string) (string, bool)) Launcher {
	for _, b := range append(slices.Clone(bootstraps), local) {
		if evidence := b.evidence(lookup); evidence != "" {
			return Launcher{b.name, b.about, evidence, b.join != nil}
		}
	}
	return Launcher{Name: "singleton", About: "a process on its own", Spoken: true}
}

// evidence returns the first sign as NAME=value, "" if there is none.
func (b bootstrap) evidence(lookup func(string) (string, bool)) string {
	for _, sign := range b.signs {
		if value, ok := lookup(sign); ok {
			return sign + "=" + value
		}
	}
	return ""
}

// owns reports whether a variable says which rank of this launcher a process is.
func (b bootstrap) owns(name string) bool {
	if slices.Contains(b.signs, name) {
		return true
	}
	return slices.ContainsFunc(b.identity, func(pattern string) bool {
		prefix, wild := strings.CutSuffix(pattern, "*")
		return name == pattern || wild && strings.HasPrefix(name, prefix)
	})
}
