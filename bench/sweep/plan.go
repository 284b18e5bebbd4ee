// Package sweep reads sweep files: factors that are crossed, the number of launches of each
// combination, and their order. It starts nothing.
//
// A table such as [[p2p]] stands for the verb of that name, its keys for the flags of the verb. A
// value is passed on unchanged; a list of values is a factor, and all factors of a table are
// crossed: each combination is one launch of the program. Values to be compared should be a list
// rather than one value such as "smem,tcp": the launches of a block have a random order, so they
// are interleaved.
package sweep

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Plan is a validated sweep file.
type Plan struct {
	Name     string
	Launches int           // of each command
	Seed     int64         // of the order, 0 = none given
	Budget   time.Duration // of the whole sweep, 0 = none
	Programs []string      // that are compared; empty = this one
	Skip     bool          // transports that do not work here are left out
	Commands []Command
}

// ID identifies the commands and programs of a plan, in their order, and the number of launches of
// a command in a block. It does not depend on the number of blocks, the seed and the budget, which
// may be changed for the rest of a sweep.
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
}

// Words returns the command line without the name of the program.
func (c Command) Words() []string { return append([]string{c.Verb}, c.Args...) }

func (c Command) String() string { return strings.Join(c.Words(), " ") }

// Flag returns the value of a flag, "" if the command does not have it.
func (c Command) Flag(name string) string {
	for _, arg := range c.Args {
		if value, ok := strings.CutPrefix(arg, "--"+name+"="); ok {
			return value
		}
	}
	return ""
}

// A Verb is a verb that may be the name of a table.
type Verb struct {
	Name       string
	Flags      []string // names without --, that a file may set
	Positional string   // key of the arguments that are no flags, "" = there are none
}

// takenKeys lists flags that the sweep itself sets.
var takenKeys = []string{"json", "csv", "output", "dry-run", "seed", "launches", "help"}

// keys lists the flags that a table of the verb may have.
func (v Verb) keys() []string {
	var list []string
	for _, f := range v.Flags {
		if !slices.Contains(takenKeys, f) {
			list = append(list, f)
		}
	}
	if v.Positional != "" {
		list = append(list, v.Positional)
	}
	return list
}
