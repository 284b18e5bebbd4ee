package sweep

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"gobench/internal/exit"
	"gobench/internal/human"
	"gobench/internal/launch/child"
	"gobench/internal/remedy"
	"gobench/record"
)

// estimate is the output of a launch with --dry-run --json (experiment.Estimate).
type estimate struct {
	Cells int     `json:"cells"`
	Min   float64 `json:"least_s"`
	Max   float64 `json:"most_s"`
	// Misfit is the reason why the command cannot run although each of its values is valid.
	Misfit string `json:"misfit"`
}

const (
	// startTime is the time of the process of a launch, in seconds. The estimate has that of ranks.
	startTime = 0.05
	// overrun is the maximum ratio of the time of cells to their budgets.
	overrun = 1.25
)

// check makes a dry run of every command, so that mistakes are found before the first launch, and
// identifies every program. A dry run of the sweep does not start programs that the file names,
// because they are unknown; it uses this program instead.
func (r *runner) check(ctx context.Context) error {
	if err := r.identify(ctx); err != nil {
		return err
	}
	r.estimates = map[string]estimate{}
	one := *r.plan
	one.Launches = 1
	var out misfits
	told := map[string]bool{}
	for _, l := range one.Order(1, 1) {
		if l.Command.isForeign() || r.rivals.skipped[l.Key()] {
			continue // it has no dry run: its time is unknown before its first launch
		}
		var answer, said bytes.Buffer
		program := l.Program
		if r.DryRun {
			program = ""
		}
		one := child.Child{Program: program, Args: append(l.Command.Arguments(), "--dry-run", "--json"), Env: child.Replication(l.Number, l.Block), Stdout: &answer, Stderr: &said}
		err := one.Run(ctx) // without the launcher: a dry run needs no ranks
		all := sum(&answer)
		if _, ok := errors.AsType[*child.ExitError](err); ok && all.Misfit != "" {
			out.add(l.Command, all.Misfit)
			continue
		} else if ok {
			why := strings.TrimSpace(strings.ReplaceAll(said.String(), "gobench: ", ""))
			return &exit.UsageError{Err: &record.FileError{Path: r.Path, Line: l.Command.Line, Err: fmt.Errorf("gobench %s: %s", l.Command, why)}}
		}
		if err != nil {
			return err
		}
		for line := range strings.Lines(said.String()) {
			if line = strings.TrimPrefix(strings.TrimSpace(line), "gobench: "); !told[line] { // the launches do not repeat it
				told[line] = true
				r.observer.Warning(line)
			}
		}
		r.estimates[l.Key()] = all
	}
	return r.leaveOut(out)
}

// misfits are the commands of a plan that cannot run, with their reasons.
type misfits struct {
	commands []Command
	reasons  []string
}

// add notes a command once, whatever the number of its programs.
func (m *misfits) add(c Command, reason string) {
	if !m.has(c) {
		m.commands, m.reasons = append(m.commands, c), append(m.reasons, reason)
	}
}

func (m *misfits) has(c Command) bool {
	return slices.ContainsFunc(m.commands, func(other Command) bool { return other.Line == c.Line && other.String() == c.String() })
}

// leaveOut removes commands from the plan, with a line for each. It returns an error if nothing of
// a table is left, because that is a mistake rather than a combination among others.
func (r *runner) leaveOut(out misfits) error {
	kept := slices.DeleteFunc(slices.Clone(r.plan.Commands), out.has)
	for i, c := range out.commands {
		if !slices.ContainsFunc(kept, func(other Command) bool { return other.Line == c.Line }) {
			return &exit.UsageError{Err: &record.FileError{Path: r.Path, Line: c.Line, Err: fmt.Errorf("gobench %s: %s", c, out.reasons[i])}}
		}
		r.observer.Warning(fmt.Sprintf("left out: gobench %s: %s", c, out.reasons[i]))
	}
	r.plan.Commands = kept
	return nil
}

// sum adds up the estimates of a launch, one for each number of ranks. Other output is ignored.
func sum(said io.Reader) (all estimate) {
	for d := json.NewDecoder(said); ; {
		var e estimate
		if d.Decode(&e) != nil {
			return all
		}
		all.Cells += e.Cells
		all.Min += e.Min
		all.Max += e.Max
		all.Misfit = cmp.Or(all.Misfit, e.Misfit)
	}
}

// guess returns bounds of the time of a launch that was not made yet. They are unknown for
// applications.
func (r *runner) guess(l Launch) Guess {
	e := r.estimates[l.Key()]
	if e.Max == 0 {
		return Guess{}
	}
	return Guess{Min: startTime + e.Min, Max: startTime + overrun*e.Max}
}

// expect returns bounds of the time of launches.
func (r *runner) expect(list []Launch) Span {
	return r.state.Expect(list, r.guess)
}

// resume reads the file of records and determines the seed and the remaining launches.
func (r *runner) resume() error {
	file := &record.File{}
	if r.exists() {
		var err error
		if file, err = record.ReadFile(r.File); err != nil {
			return err
		}
	}
	var err error
	if r.state, err = r.plan.Resume(file, r.id); err != nil {
		return &exit.UsageError{Err: remedy.Errorf("%s: %w; name another file with %v", r.File, err, remedy.Named("output"))}
	}
	for _, l := range r.state.Launches() {
		if err := r.checkOrigin(&l); err != nil {
			return err
		}
		if l.Command[0] == foreignTable {
			r.rivals.worked[key(l.Program, l.Command)] = true
		}
	}
	r.sampled.add(file.Points)
	switch {
	case r.state.Seed() != 0 && r.plan.Seed != 0 && r.state.Seed() != r.plan.Seed:
		return &exit.UsageError{Err: remedy.Errorf("%s was begun with seed %d, not %d: name another file with %v", r.File, r.state.Seed(), r.plan.Seed, remedy.Named("output"))}
	case r.state.Seed() != 0:
		r.seed = r.state.Seed()
	case r.plan.Seed != 0:
		r.seed = r.plan.Seed
	default:
		r.seed = rand.Int64N(1<<31-1) + 1
	}
	r.order = r.plan.Order(r.seed, r.times())
	r.left = r.state.Left(r.order)
	return nil
}

// Guess bounds the time of a launch whose command was not launched yet, in seconds.
type Guess struct{ Min, Max float64 } // Max is 0 if unknown

func (g Guess) middle() float64 { return (g.Min + g.Max) / 2 }

// Span bounds the time of several launches, in seconds.
type Span struct {
	Max     float64
	Likely  float64 // from the launches so far
	Unknown int     // number of launches of unknown time, in addition
}

// String returns a part of a sentence: "about 1m2s, at most 2m10s".
func (s Span) String() string {
	return s.with(fmt.Sprintf("about %v, at most %v", rounded(s.Likely), rounded(s.Max)))
}

// with returns known and the number of launches of unknown time. It leaves out known if all times
// are unknown.
func (s Span) with(known string) string {
	unknown := human.Count(s.Unknown, "launch", "launches") + " of unknown time"
	switch {
	case s.Unknown == 0:
		return known
	case s.Max == 0:
		return unknown
	}
	return known + " and " + unknown
}

// rounded returns a time rounded for display.
func rounded(s float64) time.Duration {
	d := time.Duration(s * float64(time.Second))
	if d < 10*time.Second {
		return d.Round(100 * time.Millisecond)
	}
	return d.Round(time.Second)
}

// taken holds the shortest and the longest time of the launches of one command, and the sum of
// their times, in seconds.
type taken struct {
	smallest, largest, sum float64
	n                      int
}

func (t taken) mean() float64 { return t.sum / float64(t.n) }

// Took records that a launch is finished, and its time.
func (s *State) Took(l Launch, seconds float64) { s.took(l.Key(), l.Number, seconds) }

func (s *State) took(key string, number int, seconds float64) {
	if s.done[key] == nil {
		s.done[key] = map[int]bool{}
	}
	s.done[key][number] = true
	t, ok := s.times[key]
	if !ok {
		t = taken{smallest: seconds, largest: seconds}
	}
	s.times[key] = taken{min(t.smallest, seconds), max(t.largest, seconds), t.sum + seconds, t.n + 1}
}

// Expect returns bounds of the time of launches on an idle machine. The upper bound of a launch is
// its guess times the largest ratio of a finished launch to its guess, 1 or more. For a command
// that was launched it is the longest launch or more. Without a guess it is the longest launch
// times the largest ratio of two launches of one command. The likely time of a launch is the mean
// of those of its command; for a command that was not launched yet, the middle of its guess times
// the mean ratio of finished launches to the middle of theirs.
func (s *State) Expect(list []Launch, guess func(Launch) Guess) Span {
	slower, spread := 1.0, 1.0
	took, guessed := 0.0, 0.0
	for _, l := range s.commands {
		t, ok := s.times[l.Key()]
		if !ok {
			continue
		}
		if g := guess(l); g.Max > 0 {
			slower = max(slower, t.largest/g.Max)
			took, guessed = took+t.mean(), guessed+g.middle()
		}
		if t.smallest > 0 {
			spread = max(spread, t.largest/t.smallest)
		}
	}
	ratio := 1.0
	if guessed > 0 {
		ratio = took / guessed
	}
	var sum Span
	for _, l := range list {
		g := guess(l)
		t, made := s.times[l.Key()]
		if made {
			sum.Likely += t.mean()
		} else {
			sum.Likely += ratio * g.middle()
		}
		switch {
		case made && g.Max > 0:
			sum.Max += max(t.largest, g.Max*slower)
		case made:
			sum.Max += t.largest * spread
		case g.Max > 0:
			sum.Max += g.Max * slower
		default:
			sum.Unknown++
		}
	}
	return sum
}
