package launch

import (
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"gobench/launch/host"
)

// Variables that Local sets in the environment of a rank. FromEnv removes them.
const (
	envPrefix = "GOBENCH_"
	envRank   = "GOBENCH_RANK"
	envSize   = "GOBENCH_SIZE"
	envFD     = "GOBENCH_FD"    // descriptor of the socket to the launcher
	envInode  = "GOBENCH_INODE" // its inode, to tell it from anything else that has this number by now
	envCores  = "GOBENCH_SEATS" // cores of the threads of the rank; absent: it is not pinned
	envHosts  = "GOBENCH_HOSTS" // which ranks are on which host; absent: all are on this one

	// envInside is set by FromEnv, so that child processes know that they run inside a job.
	envInside = "GOBENCH_INSIDE"
)

// ownVariables lists them. Other variables with the prefix GOBENCH_ are kept.
var ownVariables = []string{envRank, envSize, envFD, envInode, envCores, envHosts, envInside}

// rankEnv returns the environment of a rank: the given one without the variables that identify the
// parent as a rank of any launcher, and with those of this rank.
func rankEnv(what executable, at seat, fd int, inode uint64) []string {
	env := append(cleanEnv(what.env),
		envRank+"="+strconv.Itoa(at.rank),
		envSize+"="+strconv.Itoa(what.size),
		envFD+"="+strconv.Itoa(fd),
		envInode+"="+strconv.FormatUint(inode, 10))
	if at.cores != nil {
		env = append(env, envCores+"="+host.ListCores(at.cores))
	}
	if what.on != "" {
		env = append(env, envHosts+"="+what.on)
	}
	return env
}

// keepForeignSocket sets close-on-exec on the socket of a surrounding PMI launcher, so that ranks
// that are forked here do not inherit it.
func keepForeignSocket() {
	if fd, err := strconv.Atoi(os.Getenv("PMI_FD")); err == nil && fd > 2 {
		unix.CloseOnExec(fd)
	}
}

// cleanEnv removes all variables that contain the rank of this process. Otherwise all ranks forked
// by a rank of mpiexec or srun would have the rank of their parent. Variables that describe the
// surrounding job (SLURM_JOB_ID) are kept. Of a name that occurs more than once the last value is
// kept, as in os/exec.
func cleanEnv(env []string) []string {
	var clean []string
	seen := make(map[string]bool, len(env))
	for _, variable := range slices.Backward(env) {
		name, _, _ := strings.Cut(variable, "=")
		foreign := slices.ContainsFunc(bootstraps, func(b bootstrap) bool { return b.owns(name) })
		if foreign || seen[name] || slices.Contains(ownVariables, name) {
			continue
		}
		seen[name] = true
		clean = append(clean, variable)
	}
	slices.Reverse(clean)
	return clean
}

// Leave makes this process, which a process of a job has started, one that may start jobs itself.
func Leave() { os.Unsetenv(envInside) }
