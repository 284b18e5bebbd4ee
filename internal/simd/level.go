package simd

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
)

// Variable is the environment variable that names the instruction set to use. If it is not set, the
// best available one is used.
const Variable = "GOBENCH_SIMD"

// A LevelError reports that Variable names an instruction set that is not available.
type LevelError struct {
	Level string
	Known bool // other builds or machines have it
	Have  []string
}

func (e *LevelError) Error() string {
	what := "is unknown"
	if e.Known {
		what = "is not available with this build on this machine"
	}
	return fmt.Sprintf("%s is %q, which %s: want %s", Variable, e.Level, what, strings.Join(e.Have, ", "))
}

var best, _ = choose(all, os.Getenv(Variable))

// Best returns BestFor of data of any size.
func Best() *Set { return BestFor(math.MaxInt) }

// BestFor returns the set to use for data of a number of bytes, to which a core returns again and
// again: the one that Variable named when the program started, else that of Choose, else the last
// of Sets.
func BestFor(bytes int) *Set {
	sets := chosen.Load()
	if sets == nil {
		return best
	}
	i := 0
	for bytes > bounds[i].bytes {
		i++
	}
	return &sets[i]
}

// Level names the instruction set in force, for the record of a run.
func Level() string { return best.Level }

// Describe returns the instruction set in force and, if it is "none", the reason, for people.
func Describe() string {
	switch {
	case best.Level != "none":
		return best.Level
	case !built:
		return "none (vector loops need amd64 or arm64, Go 1.27 and GOEXPERIMENT=simd when gobench is built)"
	case len(all) == 1:
		return "none (this processor has no AVX2)"
	}
	return "none (" + Variable + "=none)"
}

// Omitted reports whether this build lacks vector loops that its processor could have.
func Omitted() bool { return !built && (runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64") }

// Check returns a *LevelError if Best is not what Variable asks for. Programs call it
// before they begin.
func Check() error {
	_, err := choose(all, os.Getenv(Variable))
	return err
}

// choose returns the set of a level, or the last one if level is empty or with an error.
func choose(sets []*Set, level string) (*Set, error) {
	last := sets[len(sets)-1]
	if level == "" {
		return last, nil
	}
	e := &LevelError{Level: level, Known: slices.Contains([]string{"none", "neon", "avx2", "avx512"}, level)}
	for _, s := range sets {
		if s.Level == level {
			return s, nil
		}
		e.Have = append(e.Have, s.Level)
	}
	return last, e
}
