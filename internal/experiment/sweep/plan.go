// Package sweep parses and runs sweep files. A sweep launches all combinations of factors several
// times in random order.
//
// A table such as [[p2p]] selects the verb of that name, and its keys are flags of the verb. A
// single value is passed to the flag. A list of values is a factor, and all factors of a table are
// crossed: each combination is one launch of the program. Values to be compared should be a list,
// not a single value such as "smem,tcp", because a block launches its combinations in random order,
// which interleaves them.
//
// A table [[program]] describes a program that is not gobench. It is launched in the same blocks,
// pinned to the same cores, with a calibration of these cores before and after it, and its output
// is imported. Tables [[target]] contain conditions for the results (package compare).
package sweep

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"gobench/internal/collect"
)

// Plan is the checked content of a file of a sweep.
type Plan struct {
	Name     string
	Launches int           // of each command: the number of blocks
	Seed     int64         // of the order, 0 = none given
	Budget   time.Duration // of the whole sweep, 0 = none
	Programs []string      // gobench programs to be compared; empty = this one
	Skip     bool          // skip commands that do not work here
	Commands []Command
}

// ID returns a digest of the commands and programs of a plan in their order, and of the number of
// launches of a command in a block. It does not depend on the number of blocks, the seed and the
// budget, which may change when a sweep is resumed.
func (p *Plan) ID(times int) string {
	h := sha256.New()
	for _, l := range p.block(1, times) {
		fmt.Fprintf(h, "%d %s\n", len(l.Key()), l.Key())
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// Command is one combination of factors.
type Command struct {
	Verb string
	Args []string // positional ones, then flags with their values
	Line int      // of its table in the file
	Peak bool     // the memory of its launches is sampled
}

// Words returns the command line without the name of the program. The launcher is a flag in it.
func (c Command) Words() []string { return append([]string{c.Verb}, c.Args...) }

// Arguments returns the arguments of gobench: Words without the launcher and its limit.
func (c Command) Arguments() []string {
	return slices.DeleteFunc(c.Words(), func(arg string) bool {
		return strings.HasPrefix(arg, "--"+launcherKey+"=") || strings.HasPrefix(arg, "--"+limitKey+"=")
	})
}

func (c Command) String() string { return strings.Join(c.Words(), " ") }

// Name returns the name of a command for messages: "gobench p2p --sizes=8", "Open MPI over smem".
func (c Command) Name() string {
	if !c.isForeign() {
		return "gobench " + c.String()
	}
	f := foreign{library: c.library(), transport: c.Flag("transport")}
	name := f.String()
	for _, arg := range c.Args {
		if key, _, _ := strings.Cut(strings.TrimPrefix(arg, "--"), "="); !slices.Contains(foreignKeys, key) || key == "np" {
			name += " " + arg
		}
	}
	return name
}

// Flag returns the first value of a flag, "" if the command does not set it.
func (c Command) Flag(name string) string {
	for _, value := range c.Values(name) {
		return value
	}
	return ""
}

// Values returns all values of a flag.
func (c Command) Values(name string) (list []string) {
	for _, arg := range c.Args {
		if value, ok := strings.CutPrefix(arg, "--"+name+"="); ok {
			list = append(list, value)
		}
	}
	return list
}

// Verb describes a verb that a table can select.
type Verb struct {
	Name       string
	Flags      []string // names, without --, of the flags that a file may set
	Positional string   // key of the positional arguments, "" = none
}

// takenKeys lists flags that only the sweep itself sets. Without records a launch would leave
// nothing, and its length is one round.
var takenKeys = []string{"json", "csv", "output", "no-records", "dry-run", "seed", "launches", "duration", "timeout", "help"}

// keys returns the keys that a table of the verb may have.
func (v Verb) keys() []string {
	list := collect.If(v.Flags, func(f string) bool { return !slices.Contains(takenKeys, f) })
	if v.Positional != "" {
		list = append(list, v.Positional)
	}
	return list
}
