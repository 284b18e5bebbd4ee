package sweep

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"gobench/internal/collect"
	"gobench/internal/exit"
	"gobench/internal/launch/child"
	"gobench/internal/launch/host"
	"gobench/nearest"
)

// launcherKey is a key of any table of gobench's verbs: the command line of a program that starts
// the ranks, such as the mpiexec of an MPI library. Its values are a factor.
const launcherKey = "launcher"

// limitKey is a key of a table with a launcher: the time limit of a launch, because ranks of a
// library may deadlock.
const limitKey = "limit"

// launcherLimit is the time limit of a launch with a launcher, if the table sets no limit.
const launcherLimit = 10 * time.Minute

// launcher is the program that starts the ranks of a launch of gobench.
type launcher struct {
	env   []string // NAME=VALUE
	words []string // of the command line, with placeholders
	ranks int
	limit time.Duration
}

// launcherPlaceholders lists the placeholders of the command line of a launcher.
var launcherPlaceholders = []string{"np", "cores"}

// launcherOf returns the launcher of a command of gobench, nil if gobench starts the ranks itself.
// An error is one of the file.
func launcherOf(c Command) (*launcher, error) {
	line := c.Flag(launcherKey)
	limit, err := limitOf(c.Flag(limitKey), launcherLimit)
	switch {
	case line == "" && c.Flag(limitKey) != "":
		return nil, errors.New("limit is a key of tables with a launcher")
	case line == "" || err != nil:
		return nil, err
	}
	for _, m := range placeholder.FindAllStringSubmatch(line, -1) {
		if !slices.Contains(launcherPlaceholders, m[1]) {
			return nil, &nearest.UnknownError{What: "placeholder", Name: m[1], Known: launcherPlaceholders, Where: "np is that of the table"}
		}
	}
	w := &launcher{words: strings.Fields(line), ranks: c.ranks(), limit: limit}
	for len(w.words) > 0 && strings.Contains(w.words[0], "=") {
		w.env, w.words = append(w.env, w.words[0]), w.words[1:]
	}
	switch {
	case len(w.words) == 0:
		return nil, errors.New("launcher names no program")
	case w.ranks == 0 && strings.Contains(line, "{np}"):
		return nil, errors.New("a launcher starts one number of ranks: np must be a number, or a list of numbers, each of which is a launch")
	}
	return w, nil
}

// ranks returns the number of ranks of a command of gobench, 0 if there are several numbers or the
// number depends on the machine.
func (c Command) ranks() int {
	np := c.Flag("np")
	if np == "" && c.Verb == "p2p" {
		return 2
	}
	n, _ := strconv.Atoi(np)
	return max(0, n)
}

// run runs a launch of gobench, directly or by its launcher within the time limit. The ranks of a
// launcher inherit the cores of the block. The error is a *child.ExitError if the launch fails.
func (r *runner) run(ctx context.Context, l Launch, one child.Child) error {
	w, err := launcherOf(l.Command)
	if err != nil {
		return err
	}
	if w == nil {
		return one.Run(ctx)
	}
	program, err := locate(one.Program)
	if err != nil {
		return err
	}
	if w.ranks > 0 {
		one.Cores = r.coresOf(l.Block, w.ranks)
	}
	expand := strings.NewReplacer("{np}", strconv.Itoa(w.ranks), "{cores}", host.ListCores(one.Cores))
	words := make([]string, 0, len(w.words)+1+len(one.Args))
	words = append(words, collect.Each(w.words, func(word string) string { return expand.Replace(word) })...)
	one.Program, one.Args = words[0], slices.Concat(words[1:], []string{program}, one.Args)
	one.Env = append(one.Env, w.env...)
	one.Foreign = true
	limited, cancel := context.WithTimeout(ctx, w.limit)
	defer cancel()
	err = one.Run(limited)
	if limited.Err() != nil && ctx.Err() == nil {
		fmt.Fprintf(one.Stderr, "it did not end within %v\n", w.limit)
		err = &child.ExitError{Command: strings.Join(words, " "), Code: exit.Failed}
	}
	return err
}

// executables returns the programs that a command needs besides gobench.
func (c Command) executables() ([]string, error) {
	if !c.isForeign() {
		w, err := launcherOf(c)
		if w == nil || err != nil {
			return nil, err
		}
		return w.words[:1], nil
	}
	f, err := foreignOf(c)
	if err != nil || f.setup != "" { // which may install the program
		return nil, err
	}
	var names []string
	for _, line := range []string{f.command, f.server} {
		if words := strings.Fields(f.expand(line, map[string]string{"library": f.library, "transport": f.transport})); len(words) > 0 {
			names = append(names, words[0])
		}
	}
	return names, nil
}

// missing leaves out commands with an executable that is not installed, see lacks.
func (r *runner) missing() error {
	for _, l := range r.plan.block(1, 1) {
		names, err := l.Command.executables()
		if err != nil {
			return err
		}
		for _, name := range names {
			_, err := exec.LookPath(name)
			if err == nil {
				continue
			}
			if e, ok := errors.AsType[*exec.Error](err); ok {
				err = e.Err
			}
			if err := r.lacks(l, name, err); err != nil {
				return err
			}
			break
		}
	}
	return nil
}
