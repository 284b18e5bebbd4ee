// Package launch starts the ranks of a job and waits for their end: as goroutines of this process
// (Goroutines, Nested), or as processes of this machine (Local). Package remote starts them on
// several hosts, with the same Spec and Result. A process that is a rank, of this program or of
// another launcher, finds its place by package rendezvous.
//
// A program that launches itself begins like this:
//
//	rank, err := rendezvous.FromEnv()
//	switch {
//	case err != nil: // this process was meant to be a rank, and cannot
//	case rank != nil: // this process is a rank: rank.Pin(), work, rank.Close()
//	default: // this process is the launcher: launch.Local(ctx, launch.Spec{Ranks: 2})
//	}
package launch

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"gobench/internal/launch/fork"
	"gobench/internal/launch/host"
	"gobench/internal/launch/signals"
)

// A Spec describes a job. Only Ranks is required.
type Spec struct {
	Ranks   int
	Threads int // of each rank, which get a core each; 0 = 1
	// Cores contains the cores of the threads of rank 0, then those of rank 1, and so on, as
	// computed by host.Place. A rank pins itself to the first of its cores (rendezvous.Rank.Pin).
	// nil if ranks are not pinned. A core may occur more than once.
	Cores []int

	// For a job on several hosts, instead of Cores:
	Map     string   // assignment of ranks to hosts, see hostlist.Assign
	Pin     string   // policy of host.Plan on each host; "" = ranks are not pinned
	Forward []string // names of further variables of Env that are set on every host

	Path string   // the program; default: this one
	Args []string // without the program's name; nil if those of this process
	Env  []string // nil if that of this process; variables that identify a rank are replaced in both cases

	// Stdin is the standard input of rank 0; nil means an empty file, as for all other ranks. It
	// must not be a terminal, because a terminal stops processes of other groups that read it.
	Stdin *os.File
	// Stdout and Stderr of all ranks; nil if those of this process. Writes of up to 4096 bytes are
	// not split.
	Stdout, Stderr io.Writer

	// Started, if not nil, is called when all ranks have been started as processes. It may be
	// called on another goroutine, while ranks already write.
	Started func()

	// Notice, if not nil, is called with a line about missing ranks.
	Notice func(string)

	// Linger is the time that the other ranks have to end by themselves after a rank has failed,
	// so that they can report errors. Then they get SIGTERM. Grace is the time from SIGTERM, or
	// another signal that was forwarded, until SIGKILL. 0 selects the default, a negative value no
	// time.
	Linger, Grace time.Duration
}

const (
	// DefaultLinger is more than the 2 s in which every transport must notice a
	// dead peer.
	DefaultLinger = 5 * time.Second
	DefaultGrace  = signals.JobTimeout
)

// withDefaults returns a checked and complete copy.
func (s Spec) withDefaults() (Spec, error) {
	if err := checkRanks(s.Ranks); err != nil {
		return s, err
	}
	s.Threads = max(1, s.Threads)
	if s.Cores != nil {
		if len(s.Cores) != s.Ranks*s.Threads {
			return s, fmt.Errorf("%d cores are given for %d ranks of %d threads", len(s.Cores), s.Ranks, s.Threads)
		}
		allowed, err := host.AllowedCores()
		if err != nil {
			return s, err
		}
		for _, core := range s.Cores {
			if !slices.Contains(allowed, core) {
				return s, &host.CoreError{Core: core, Allowed: allowed}
			}
		}
	}
	name := s.Path
	if s.Path == "" {
		// Unlike os.Executable, this name is right if the file was replaced or deleted since the
		// start.
		s.Path, name = "/proc/self/exe", os.Args[0]
	}
	if s.Args == nil {
		s.Args = os.Args[1:]
	}
	s.Args = append([]string{name}, s.Args...)
	if s.Env == nil {
		s.Env = os.Environ()
	}
	s.Stdout, s.Stderr = cmp.Or[io.Writer](s.Stdout, os.Stdout), cmp.Or[io.Writer](s.Stderr, os.Stderr)
	s.Linger, s.Grace = cmp.Or(s.Linger, DefaultLinger), cmp.Or(s.Grace, DefaultGrace)
	return s, nil
}

// executable returns the program of the ranks. s has its defaults.
func (s Spec) executable() fork.Executable {
	return fork.Executable{Path: s.Path, Args: s.Args, Env: s.Env, Size: s.Ranks}
}
