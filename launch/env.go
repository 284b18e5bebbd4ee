package launch

import (
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// The variables by which a launcher tells a process that it is a rank. All of
// them are taken out of the environment by FromEnv.
const (
	envPrefix = "GOBENCH_"
	envRank   = "GOBENCH_RANK"
	envSize   = "GOBENCH_SIZE"
	envFD     = "GOBENCH_FD"    // descriptor of the socket to the launcher
	envInode  = "GOBENCH_INODE" // its inode, to tell it from anything else that has this number by now
	envCore   = "GOBENCH_CORE"  // where the rank shall pin itself; absent: nowhere
	envHosts  = "GOBENCH_HOSTS" // which ranks are on which host; absent: all are on this one

	// envInside is set by FromEnv: this process, or one of its
	// ancestors, is a rank.
	envInside = "GOBENCH_INSIDE"
)

// ownVariables are these; other variables with the prefix stay.
var ownVariables = []string{envRank, envSize, envFD, envInode, envCore, envHosts, envInside}

// rankEnv is the environment of one rank: that of the program without what this or another
// launcher said about the identity of the parent, and with its own.
func rankEnv(what executable, at seat, fd int, inode uint64) []string {
	env := append(cleanEnv(what.env),
		envRank+"="+strconv.Itoa(at.rank),
		envSize+"="+strconv.Itoa(what.size),
		envFD+"="+strconv.Itoa(fd),
		envInode+"="+strconv.FormatUint(inode, 10))
	if at.core >= 0 {
		env = append(env, envCore+"="+strconv.Itoa(at.core))
	}
	if what.on != "" {
		env = append(env, envHosts+"="+what.on)
	}
	return env
}

// keepForeignSocket closes the socket of a surrounding launcher, which a PMI
// client inherits without close-on-exec, to the ranks that are forked here.
func keepForeignSocket() {
	if fd, err := strconv.Atoi(os.Getenv("PMI_FD")); err == nil && fd > 2 {
		unix.CloseOnExec(fd)
	}
}

// cleanEnv drops every variable that says which rank the process is. A rank
// forked here by a process that is itself a rank of mpiexec or srun would
// otherwise take its parent's place there, all of them the same one. What only
// describes the surrounding job (SLURM_JOB_ID) stays. Of a name that occurs more
// than once the last value stays, as in os/exec.
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
