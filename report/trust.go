package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gobench/internal/bench/state"
	"gobench/internal/collect"
	"gobench/internal/human"
	"gobench/internal/remedy"
	"gobench/internal/terminal"
	"gobench/record"
	"gobench/stats"
)

// Half widths of intervals, relative to their medians: a result is steady where the one in the
// middle is at most SteadyShare, and noisy above NoisyShare.
const (
	SteadyShare = 0.05
	NoisyShare  = 0.15
	wildShare   = 0.5 // of the widest
)

// enough is a number of launches that has an interval.
const enough = 8

// required is the number of launches that an interval takes.
const required = stats.MinLaunches

// trustLines returns the number of lines about the trust in the numbers.
func (s *firstScreen) trustLines() int {
	if s.terminal.Width < narrow {
		return 6
	}
	return 3
}

// trust returns whether the numbers can be trusted, with cause and remedy, in at most trustLines
// lines and a blank one, or with View.Warnings all warnings.
func (s *firstScreen) trust() []string {
	word, text := s.verdict()
	lines := wrapped(word, text, s.terminal.Width)
	list := s.warnings()
	if s.view.Warnings {
		for _, n := range list {
			lines = append(lines, wrapped("", "- "+n, s.terminal.Width)...)
		}
		return append(lines, "")
	}
	if len(list) > 0 {
		text += fmt.Sprintf(" %s: %v.", human.Count(len(list), "note", "notes"), remedy.Named("warnings"))
		if more := wrapped(word, text, s.terminal.Width); len(more) <= s.trustLines() {
			lines = more
		}
	}
	return append(cut(lines, s.trustLines(), s.terminal.Width), "")
}

// cut returns at most most lines, the last of which ends with ~ if there are more.
func cut(lines []string, launches, width int) []string {
	if len(lines) <= launches {
		return lines
	}
	lines = lines[:launches]
	lines[launches-1] = terminal.Snip(lines[launches-1]+"~", max(20, width))
	return lines
}

// remarks returns what is to say about rows that are printed without notes: the verdict, the most
// important warnings, or with View.Warnings all, and where the rest is.
func (s *firstScreen) remarks() []string {
	word, text := s.verdict()
	lines := []string{strings.ToLower(word) + ": " + text}
	list := s.warnings()
	if s.view.Warnings {
		return append(lines, list...)
	}
	if len(list) > 0 {
		lines = append(lines, "notes on rows: "+s.more("warnings"))
	}
	return lines
}

// wrapped returns a word and the text beside it, in lines.
func wrapped(word, text string, width int) []string {
	head := fmt.Sprintf("%-7s ", word)
	if word == "" {
		head = ""
	}
	return strings.Split(strings.TrimSuffix(terminal.Hang(head, text, width), "\n"), "\n")
}

// verdict returns one word about all numbers, and a text with effect, cause and remedy.
func (s *firstScreen) verdict() (word, text string) {
	rows := s.visible
	launches, over := 0, 0
	var widths []float64
	widest, where := 0.0, ""
	for i := range rows {
		r := &rows[i]
		if test := r.SelfTest(); test != "" {
			return "TEST", "A fault was injected (" + test + "): these are no measurements."
		}
		launches = max(launches, max(1, r.Launches))
		if r.Oversubscribed() {
			over++
		}
		if w, ok := halfWidth(mainValue(r)); ok {
			widths = append(widths, w)
			if w > widest {
				widest, where = w, rowName(r)
			}
		}
	}
	for _, c := range s.cells {
		launches = max(launches, c.Launches)
	}
	cause := s.cause()
	more, repeat := fmt.Sprintf("more %v", remedy.Named("launches")), remedy.Set("launches", enough).String()
	if s.imported() {
		more, repeat = "the logs of more runs", "import the logs of more runs"
	}
	switch {
	case over > 0:
		return "SHARED", fmt.Sprintf("More ranks than cores in %d of %d rows: their times include the scheduler. Remedy: fewer ranks (%v), or a host with more cores.", over, len(rows), remedy.Named("np"))
	case launches == 1 && s.imported():
		return "ONCE", "The log is of one run, which has no ±: the next may differ by a factor of two. Remedy: import the logs of several runs."
	case launches == 1:
		return "ONCE", fmt.Sprintf("One launch has no ±: the next may differ by a factor of two. Remedy: %s.%s", repeat, cause)
	case launches < required:
		return "FEW", fmt.Sprintf("%d launches have no ±, which takes %d. Remedy: %s.%s", launches, required, repeat, cause)
	case len(widths) == 0:
		return "UNSURE", fmt.Sprintf("No ±: launches drift, or the cores changed their state between them. Remedy: repeat, with %s.%s", more, cause)
	}
	slices.Sort(widths)
	middle := widths[(len(widths)-1)/2]
	half, largest := cmp.Or(human.PlusMinus(middle), "0"), cmp.Or(human.PlusMinus(widest), "0")
	sizes := fmt.Sprintf("± is %s %% in the middle, %s %% at most (%s).", half, largest, where)
	if half == largest {
		sizes = fmt.Sprintf("± is %s %%.", half)
	}
	switch {
	case middle <= SteadyShare && widest <= wildShare:
		return "STEADY", sizes
	case middle <= NoisyShare:
		return "FAIR", sizes + cmp.Or(cause, " Remedy: "+more+".")
	default:
		return "NOISY", sizes + cmp.Or(cause, " Remedy: end other programs, or "+more+".")
	}
}

// imported reports whether the rows are of logs, whose programs gobench did not run.
func (s *firstScreen) imported() bool {
	if len(s.runs) == 0 {
		return s.visible[0].Library != ""
	}
	words := s.runs[0].Command
	return s.runs[0].Source != nil && len(words) > 1 && words[0] == "gobench" && words[1] == "import"
}

// rowName names a row in a few words.
func rowName(r *record.Point) string {
	if r.IsApplication() {
		return problem(r) + ", " + record.RanksText(fmt.Sprint(r.Ranks))
	}
	return FormatSize(r.Size) + " over " + r.Transport
}

// cause returns the most frequent reason why times vary, and its remedy, as a sentence after a
// blank: what the launches saw of other programs, or that the cores were far or changed.
func (s *firstScreen) cause() string {
	if len(s.runs) == 0 {
		return ""
	}
	var best string
	seen := 0
	for _, w := range whole(s.runs).Warnings {
		n := timesOf(w, len(s.runs))
		if strings.Contains(w, "lost ") && n > seen {
			best, seen = w, n
		}
	}
	if best != "" {
		return " " + s.causeText(best, seen)
	}
	var far, near int
	for i := range s.rows {
		switch rowState(&s.rows[i]).Pair() {
		case state.Far, state.Middle:
			far++
		case state.Near:
			near++
		}
	}
	if far > 0 && near > 0 {
		return fmt.Sprintf(" Cause: the cores were near in some launches and far in others. Remedy: %v, or dedicated cores.", remedy.Named("pin"))
	}
	return ""
}

// timesOf returns the number of things that a merged warning was seen in.
func timesOf(w string, all int) int {
	var n, of int
	if _, err := fmt.Sscanf(w, "in %d of %d ", &n, &of); err == nil {
		return n
	}
	return all
}

// causeText makes a sentence of a warning "CAUSE: REMEDY" that launches have: who took the core
// that lost most of its time in a probe.
func (s *firstScreen) causeText(w string, launches int) string {
	if head, rest, ok := strings.Cut(w, ": "); ok && strings.HasPrefix(head, "in ") {
		w = rest
	}
	cause, remedy, _ := strings.Cut(w, ": ")
	r := whole(s.runs)
	worst := r.WorstNoise()
	core := fmt.Sprintf("rank %d", worst.Rank)
	if worst.Core >= 0 {
		core = fmt.Sprintf("core %d", worst.Core)
	}
	share := human.Percent(worst.Lost)
	switch {
	case strings.Contains(cause, "quota"):
	case worst.Waited > worst.Lost/2:
		cause = fmt.Sprintf("other programs had %s for %s %% of a probe", core, share)
	case strings.Contains(cause, "virtual machine"):
		cause = fmt.Sprintf("the host of this virtual machine took %s for %s %% of a probe", core, share)
	default:
		cause = fmt.Sprintf("interrupts and the system took %s for %s %% of a probe", core, share)
	}
	text := fmt.Sprintf("Cause: %s, seen in %d of %d launches.", cause, launches, len(s.runs))
	if remedy != "" {
		text += " Remedy: " + remedy + "."
	}
	return text
}

// warnings returns all warnings of runs and rows, each once with its places.
func (s *firstScreen) warnings() []string {
	var list []string
	if len(s.runs) > 0 {
		list = append(list, whole(s.runs).Warnings...)
	}
	var n remarks
	for i := range s.visible {
		for _, w := range s.visible[i].Warnings {
			n.warn(w, rowName(&s.visible[i]))
		}
	}
	list = append(list, collect.Each(n.warnings, func(w warning) string { return strings.TrimPrefix(w.String(), "warning ") })...)
	return list
}
