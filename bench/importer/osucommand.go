package importer

import (
	"cmp"
	"strings"
)

// osuDefault is the number of messages in flight of a command line without -W.
const osuDefault = 64

// An osuCommand is what the command line of a program of OSU states, which a script echoes.
type osuCommand struct {
	ranks  int // 0 = not stated
	window int
}

var (
	// the command of a launcher, or one behind a prompt or the mark of set -x; its groups are what
	// precedes the name of the program, and its options
	osuCommandLine = match(`^((?:.*\b(?:mpirun|mpirun_rsh|mpiexec(?:\.hydra)?|srun|prun|prterun|aprun)\s.*\s|(?:\S*[$+#%>]+ +)?)(?:\S*/)?)osu_\w+((?:\s.*)?)$`)
	launcherRanks  = match(`\s(?:-np?|--np|--ntasks)[ =]?(\d+)(?:\s|$)`)
	osuWindowAsked = match(`\s(?:-W|--window-size)[ =]?(\d+)(?:\s|$)`)
)

// osuCommandOf returns what a line states if it is a command line of a program of OSU, else nil.
func osuCommandOf(text string) *osuCommand {
	if !strings.Contains(text, "osu_") {
		return nil
	}
	m := osuCommandLine.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	command := osuCommand{window: osuDefault}
	// Several contexts (" : ") have ranks of their own.
	if ranks := launcherRanks.FindStringSubmatch(m[1]); ranks != nil && !strings.Contains(m[1], " : ") {
		command.ranks = max(0, wholeOf(ranks[1]))
	}
	if window := osuWindowAsked.FindStringSubmatch(m[2]); window != nil {
		command.window = wholeOf(window[1])
	}
	return &command
}

// osuRanks returns the number of ranks by the command line, else that of Given.
func (l *log) osuRanks() int {
	if l.facts.osu == nil {
		return l.given.Ranks
	}
	return cmp.Or(l.facts.osu.ranks, l.given.Ranks)
}
