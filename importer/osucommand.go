package importer

import (
	"cmp"
	"strings"
)

// osuDefault is the number of messages in flight of a command line without -W.
const osuDefault = 64

// An osuCommand holds the facts in a command line of a program of OSU that a script echoes.
type osuCommand struct {
	ranks  int // 0 = not stated
	window int
}

var (
	// the command of a launcher, or one behind a prompt or the mark of set -x; its groups are what
	// precedes the name of the program, and its options
	osuCommandLine = match(`^((?:.*\b(?:mpirun|mpirun_rsh|mpiexec(?:\.hydra)?|srun|prun|prterun|aprun)\s.*\s|(?:\S*[$+#%>]+ +)?)(?:\S*/)?)osu_\w+((?:\s.*)?)$`)
	launcherRanks  = match(`\s(?:-np?|--np|--ntasks)[ =]?(\d+)(?:\s|$)`)
	launcherNodes  = match(`\s(?:-N|--nodes)[ =]?(\d+)(?:\s|$)`)
	ranksPerNode   = match(`\s--ntasks-per-node[ =](\d+)(?:\s|$)`)
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
	command := osuCommand{window: osuDefault, ranks: launched(m[1])}
	if window := osuWindowAsked.FindStringSubmatch(m[2]); window != nil {
		command.window = wholeOf(window[1])
	}
	return &command
}

// launched returns the number of ranks that the command of a launcher states, 0 if it states none.
func launched(command string) int {
	count := func(r pattern) int {
		if m := r.FindStringSubmatch(command); m != nil {
			return max(0, wholeOf(m[1]))
		}
		return 0
	}
	if strings.Contains(command, " : ") { // several contexts, with their own ranks
		return 0
	}
	if nodes, each := count(launcherNodes), count(ranksPerNode); nodes > 0 && each > 0 && each <= maxWhole/nodes {
		return cmp.Or(count(launcherRanks), nodes*each)
	}
	return count(launcherRanks)
}

// osuRanks returns the number of ranks by the command line, else that of Given.
func (l *log) osuRanks() int {
	if l.facts.osu == nil {
		return l.given.Ranks
	}
	return cmp.Or(l.facts.osu.ranks, l.given.Ranks)
}
