package simd

import (
	"fmt"
	"os"
	"strings"
)

// Variable is the environment variable that names the instruction set to use. Without
// it, that is the best that there is.
const Variable = "GOBENCH_SIMD"

// LevelError reports that Variable asks for an instruction set that cannot be had.
type LevelError struct {
	Level string
	Known bool // other builds or machines have it
	Have  []string
}

func (e *LevelError) Error() string {
	what := "is unknown"
	if e.Known {
		what = "cannot be had with this build on this machine"
	}
	return fmt.Sprintf("%s is %q, which %s: want %s", Variable, e.Level, what, strings.Join(e.Have, ", "))
}

var best, _ = choose(all, os.Getenv(Variable))

// Best returns the set to use: the one that Variable named when the program started, else the
// last of Sets.
func Best() *Set { return best }

// Level names the instruction set in force, for the record of a run.
func Level() string { return best.Level }

// Check returns a *LevelError if Best is not what Variable asks for. Programs call it
// before they begin.
func Check() error {
	_, err := choose(all, os.Getenv(Variable))
	return err
}

// choose returns the set of a level, the last without one. With an error it is the
// last as well.
func choose(sets []*Set, level string) (*Set, error) {
	last := sets[len(sets)-1]
	if level == "" {
		return last, nil
	}
	e := &LevelError{Level: level, Known: level == "none" || level == "avx2" || level == "avx512"}
	for _, s := range sets {
		if s.Level == level {
			return s, nil
		}
		e.Have = append(e.Have, s.Level)
	}
	return last, e
}
