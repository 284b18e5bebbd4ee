package rendezvous

import (
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"gobench/internal/launch/detect"
	"gobench/internal/launch/exchange"
	"gobench/internal/launch/host"
)

// joinLocal makes this process the rank that launch.Local has forked it for.
func joinLocal() (*Rank, error) {
	size, err := envNumber(detect.EnvSize, 1, 1<<20)
	if err != nil {
		return nil, err
	}
	rank, err := envNumber(detect.EnvRank, 0, size-1)
	if err != nil {
		return nil, err
	}
	var cores []int
	if text, ok := os.LookupEnv(detect.EnvSeats); ok {
		if cores, err = host.ParseCores(text); err != nil {
			return nil, &detect.EnvError{Variable: detect.EnvSeats, Value: text, Problem: err.Error()}
		}
	}
	var on []int
	var hosts []string
	if text, ok := os.LookupEnv(detect.EnvHosts); ok {
		if on, hosts, err = detect.ParseHosts(text, size); err != nil {
			return nil, &detect.EnvError{Variable: detect.EnvHosts, Value: text, Problem: err.Error()}
		}
	}
	socket, err := inheritedSocket()
	if err != nil {
		return nil, err
	}
	for _, name := range detect.OwnVariables {
		os.Unsetenv(name)
	}
	os.Setenv(detect.EnvInside, fmt.Sprintf("rank %d of %d", rank, size))
	return &Rank{rank: rank, size: size, cores: cores, on: on, hosts: hosts, link: exchange.NewSocketLink(socket, size)}, nil
}

// inheritedSocket opens the descriptor named in the environment. It compares the inode, because
// the number may belong to another file by now.
func inheritedSocket() (*os.File, error) {
	fd, err := envNumber(detect.EnvFD, 3, 1<<20)
	if err != nil {
		return nil, err
	}
	var stat unix.Stat_t
	err = unix.Fstat(fd, &stat)
	if err != nil || strconv.FormatUint(stat.Ino, 10) != os.Getenv(detect.EnvInode) {
		return nil, &detect.EnvError{Variable: detect.EnvRank, Value: os.Getenv(detect.EnvRank), Problem: "is left over from another process: unset all " + detect.EnvPrefix + "* variables"}
	}
	unix.CloseOnExec(fd)
	if err := unix.SetNonblock(fd, true); err != nil {
		return nil, fmt.Errorf("the socket to the launcher cannot be used: %w", err)
	}
	return os.NewFile(uintptr(fd), "launcher"), nil
}

func envNumber(name string, lo, hi int) (int, error) {
	value, ok := os.LookupEnv(name)
	if !ok {
		return 0, &detect.EnvError{Variable: name, Value: "", Problem: fmt.Sprintf("is missing, although there is %s: unset all %s* variables", detect.EnvRank, detect.EnvPrefix)}
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < lo || n > hi {
		return 0, &detect.EnvError{Variable: name, Value: value, Problem: fmt.Sprintf("is not a number from %d to %d", lo, hi)}
	}
	return n, nil
}
