package record

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// LaunchFacts holds facts that all points of a launch share.
type LaunchFacts struct {
	Seed      int64   // of the random order of cells
	Launch    int     // number of the launch, from 1
	Round     int     // number of the launch if launches reuse processes, else 0
	Block     int     // of a sweep, 0 = none
	Precision float64 // requested relative half width of the interval between launches
	Placement string  // policy of --map, "" = host by host, or ranks that gobench does not place
	Check     string  // of the arguments of collectives, "" = the default
	Shared    string  // describes ranks that share cores, "" = each has its own
	SelfTest  string  // warning about an injected fault, "" = none
	// PerProcess is the number of ranks of each process. Above 1 it is recorded as an option,
	// because it decides which messages go through memory.
	PerProcess int
	// Options holds the transport options set by the user, by transport.
	Options map[string]map[string]string
	// Same reports whether two values of an option are equivalent, such as 128KiB and 131072.
	Same func(a, b string) bool
}

// Complete adds the facts to a point.
func (f *LaunchFacts) Complete(p *Point) {
	p.Seed, p.Launch, p.Round, p.Block, p.Precision = f.Seed, f.Launch, f.Round, f.Block, f.Precision
	p.Placement = f.Placement
	if p.Algorithm != "" {
		p.Check = f.Check
	}
	if f.Shared != "" && !p.Oversubscribed() {
		p.Warnings = append(p.Warnings, Oversubscribed+f.Shared)
	}
	set := f.Options[p.Transport]
	for _, name := range slices.Sorted(maps.Keys(set)) {
		if value, ok := p.Options[name]; ok && !f.Same(value, set[name]) && set[name] != "auto" {
			p.Warnings = append(p.Warnings, fmt.Sprintf("option %s is %s, not %s as requested", name, value, set[name]))
		}
	}
	if f.PerProcess > 1 {
		options := map[string]string{"per_process": strconv.Itoa(f.PerProcess)}
		maps.Copy(options, p.Options)
		p.Options = options
	}
	if f.SelfTest != "" {
		p.Warnings = append(p.Warnings, f.SelfTest)
	}
}
