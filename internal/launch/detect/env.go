package detect

import (
	"os"
	"slices"
	"strings"
)

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
