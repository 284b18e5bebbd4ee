package sweep

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"gobench/compare"
	"gobench/internal/human"
	"gobench/internal/lazyregexp"
	"gobench/internal/remedy"
	"gobench/record"
	"gobench/stats"
)

// exists reports whether the file of records can be read back. A device or a pipe cannot.
func (r *runner) exists() bool {
	info, err := os.Stat(r.File)
	return err == nil && info.Mode().IsRegular()
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// announce reports the plan.
func (r *runner) announce() {
	name := cmp.Or(r.plan.Name, r.Path)
	done := ""
	if n := len(r.order) - len(r.left); n > 0 {
		done = fmt.Sprintf(", of which %d are in %s already", n, r.File)
	}
	r.observer.Line("sweep", fmt.Sprintf("%s: %s in %s, seed %d%s", name, human.Count(len(r.order), "launch", "launches"), r.blocks(), r.seed, done))
	r.observer.Line("time", fmt.Sprintf("%v%s", r.expect(r.left), r.within()))
	r.observer.Line("records", "appended to "+r.File)
}

func (r *runner) blocks() string { return human.Count(r.plan.Launches, "block", "blocks") }

func (r *runner) within() string {
	if r.plan.Budget == 0 {
		return ""
	}
	return fmt.Sprintf(", ended after %v", r.plan.Budget)
}

// progress reports a launch before it starts, and the remaining time.
func (r *runner) progress(l Launch, left []Launch) {
	program := ""
	if l.Program != "" {
		program = l.Program + " "
	}
	remaining := r.expect(left)
	if budget := (r.plan.Budget - time.Since(r.begin)).Seconds(); r.plan.Budget > 0 && (remaining.Max > budget || remaining.Unknown > 0) {
		remaining = Span{Likely: remaining.Likely, Max: budget}
	}
	text := ""
	if remaining.Unknown == 0 {
		if left := r.timeLeft(remaining); left > 1 { // not less than is shown
			text = ", " + left.String() + " left"
		}
	}
	line := fmt.Sprintf("%d/%d block %d%s: %s%s", l.Index+1, len(r.order), l.Block, text, program, strings.TrimPrefix(l.Command.Name(), "gobench "))
	r.observer.Progress(line)
}

// timeLeft returns the time until the end of the sweep. It does not grow from launch to launch: the
// first estimate is the cautious one, and a later one that is longer than the last is not shown.
func (r *runner) timeLeft(remaining Span) time.Duration {
	left := rounded(remaining.Max)
	if r.shown > 0 {
		left = min(rounded(cmp.Or(remaining.Likely, remaining.Max)), r.shown)
	}
	r.shown = max(left, 1)
	return left
}

// end reports the state of the file and what to do next.
func (r *runner) end(late int) error {
	if late > 0 {
		r.observer.Warning(fmt.Sprintf("the budget does not suffice for %d of %d launches: the same command continues from there", late, len(r.order)))
	}
	if len(r.left) == 0 {
		r.observer.Warning(fmt.Sprintf("%s already contains all launches: measure again with more launches, or name another file with %v", r.File, remedy.Named("output")))
	}
	if r.exists() && len(r.state.Left(r.order)) < len(r.order) {
		factor, base := r.factor()
		if err := r.observer.Results(r.File, r.id, factor, base); err != nil {
			return err
		}
	}
	if (r.Detect > 0 || r.AA) && r.exists() { // no pipe
		file, err := record.ReadFile(r.File)
		if err != nil {
			return err
		}
		file.DropLeftovers()
		if r.Detect > 0 {
			r.needed(file)
		}
		if r.AA {
			r.floor(file)
		}
	}
	if !r.AA && late == 0 && r.failures == 0 {
		r.observer.Line("next", fmt.Sprintf("gobench compare OLD %s, or gobench compare %[1]s %s", shellWord(r.File), by(r.factor())))
	}
	return nil
}

// by formats a factor and the value of it that others are compared with, for a shell.
func by(factor, base string) string {
	if base == "" {
		return remedy.Set("by", factor).String()
	}
	return fmt.Sprint(remedy.Set("by", factor), " ", remedy.Set("base", shellWord(base)))
}

// byTransport is the factor of a sweep that varies no other one.
const byTransport = "transport"

// factor returns a factor that varies in this sweep, as compare.Options.By, and the value of it
// that others are compared with, "" = the first.
func (r *runner) factor() (factor, base string) {
	if len(r.plan.Programs) > 1 {
		return "program", r.plan.Programs[0]
	}
	if i := slices.IndexFunc(r.plan.Commands, Command.isForeign); i >= 0 {
		if slices.ContainsFunc(r.plan.Commands, func(c Command) bool { return !c.isForeign() }) {
			return "library", "gobench"
		}
		return "library", r.plan.Commands[i].library()
	}
	for _, name := range []string{byTransport, "level", "np", "algo", "set", "label"} {
		for _, c := range r.plan.Commands {
			if c.Flag(name) != r.plan.Commands[0].Flag(name) {
				return strings.ReplaceAll(strings.ReplaceAll(name, "np", "ranks"), "algo", "algorithm"), ""
			}
		}
	}
	return byTransport, ""
}

// plainWord matches what a shell takes as it is.
var plainWord = lazyregexp.New(`^[\w./:,+=@%-]+$`)

// shellWord returns a word of a shell that stands for a text.
func shellWord(text string) string {
	if plainWord.MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// needed reports the number of launches that a comparison needs to find the slowdown Detect,
// estimated from the launches in the file.
func (r *runner) needed(file *record.File) {
	took := 0.0
	for _, l := range file.Launches {
		took += l.Duration / float64(len(file.Launches))
	}
	o := compare.Options{Detect: r.Detect, Minimum: r.Detect / 2}
	for _, turns := range []bool{true, false} {
		what := "with sides that are measured one after the other"
		if turns {
			what = "with programs = [...] in this file, whose launches alternate"
		}
		n, ok := compare.Needed(file, o, turns)
		if !ok {
			r.observer.Line("detect", fmt.Sprintf("%s: no number of launches finds %.3g %% in most cells, or there are too few launches for an estimate; a floor of several sessions (%v) may help", what, 100*r.Detect, remedy.Named("aa")))
			continue
		}
		side := time.Duration(took * float64(n*len(r.plan.Commands)) * float64(time.Second)).Round(time.Second)
		r.observer.Line("detect", fmt.Sprintf("%s: %d launches of each side, %v a side, find %.3g %% in most cells: gobench compare %v %v %v", what, n, side, 100*r.Detect,
			remedy.Named("gate"), remedy.Set("min-effect", fmt.Sprintf("%.3g%%", 50*r.Detect)), remedy.Set("detect", fmt.Sprintf("%.3g%%", 100*r.Detect))))
	}
}

// floor reports the differences between results of one program on this machine.
func (r *runner) floor(file *record.File) {
	all := compare.NewFloor(file).Differences()
	if len(all) == 0 {
		r.observer.Line("floor", "not known yet: at least 8 launches of a cell are needed")
		return
	}
	r.observer.Line("floor", fmt.Sprintf("the first and the second half of the launches differ by %.3g %% in the median of %d cells, by at most %.3g %%: gobench compare %v %v", 100*stats.Median(all), len(all), 100*all[len(all)-1], remedy.Named("gate"), remedy.Set("floor", r.File)))
}

// dryRun reports the plan without running it.
func (r *runner) dryRun() error {
	cells := 0
	for _, l := range r.left {
		cells += r.estimates[l.Key()].Cells
	}
	for _, c := range r.plan.Commands {
		line := c.Name()
		if c.isForeign() {
			line += ": " + c.Flag("command")
		}
		r.observer.Line("launch", line)
	}
	for _, name := range r.plan.Programs {
		path, err := locate(name)
		if err != nil {
			return err
		}
		r.observer.Line("program", fmt.Sprintf("%s: %s, executable, SHA-256 %s...; not run now, so its version is unknown", name, path, r.programs[name].build))
	}
	r.observer.Line("launches", fmt.Sprintf("%d of %d remain, in %s of random order", len(r.left), len(r.order), r.blocks()))
	r.observer.Line("cells", fmt.Sprint(cells))
	r.observer.Line("time", fmt.Sprintf("%v%s", r.expect(r.left), r.within()))
	r.observer.Line("records", "appended to "+r.File)
	return nil
}
