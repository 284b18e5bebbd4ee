package figure

import (
	"fmt"
	"slices"

	"gobench/internal/parallel"
	"gobench/internal/remedy"
	"gobench/internal/report/cell"
	"gobench/nearest"
)

// A Kind is one kind of figure. Draw returns no figures without suitable records; Lacks returns
// what a set lacks for it.
type Kind struct {
	Name     string
	Shows    string // for --help and lists
	Optional bool   // drawn only on request
	Draw     func(*cell.Set) []*Figure
	Lacks    func(*cell.Set) string
}

// needs returns a Lacks function for a kind with the same requirements for every set.
func needs(format string, args ...any) func(*cell.Set) string {
	return func(*cell.Set) string { return "it needs " + fmt.Sprintf(format, args...) }
}

// Lacks returns why the records of s give no figure of the kind of that name.
func Lacks(s *cell.Set, name string) string {
	for _, k := range Kinds {
		if k.Name == name {
			return k.Lacks(s)
		}
	}
	return "it needs other records"
}

// Kinds lists all kinds in the order of a report.
var Kinds = []Kind{
	{"p2p", "time and bandwidth of point-to-point benchmarks over message size", false, PointToPoint, needs("point-to-point benchmarks (gobench p2p)")},
	{"collectives", "time and bus bandwidth of collectives over message size", false, Collectives, needs("collectives of several sizes (gobench coll)")},
	{"overlap", "share of transfers and non-blocking collectives that a computation hides, over message size", false, Overlap, needs("benchmarks of overlap (gobench coll %v, or gobench p2p %v)", remedy.Named("overlap"), remedy.Set("bench", "overlap_both"))},
	{"best", "time of collectives as a multiple of the fastest algorithm at each size, all of them", false, Best, needs("three or more algorithms or libraries for a collective (gobench coll %v)", remedy.Set("algo", "all"))},
	{"choice", "the fastest algorithm of collectives for each size and number of ranks", false, Choice, needs("several algorithms for several numbers of ranks (gobench coll %v %v, then %v)", remedy.Set("algo", "all"), remedy.Set("np", "2"), remedy.Set("np", "4"))},
	{"scaling", "aggregated bandwidth of collectives against the number of ranks, a panel for each size", false, Scaling, needs("collectives with several numbers of ranks (gobench coll %v, then %v)", remedy.Set("np", "2"), remedy.Set("np", "4"))},
	{"kernels", "rate or run time and speedup of kernels and applications against the number of ranks", false, Kernels, needs("kernels or applications with several numbers of ranks (gobench npb %v) and one number of threads; %v draws several", remedy.Set("np", "1,2,4"), remedy.Set("figure", "hybrid"))},
	{"hybrid", "rate and speedup of applications against the number of cores, a line for each number of threads of a rank", false, Hybrid, needs("kernels with several numbers of threads (gobench npb %v, then %v)", remedy.Set("threads", "1"), remedy.Set("threads", "2"))},
	{"storage", "bandwidth to files and rate of BT-IO against the number of ranks", false, Storage, needs("BT-IO (gobench npb bt-io)")},
	{"efficiency", "weak scaling: rate and efficiency against independent serial copies", false, Efficiency, needs("weak scaling (gobench npb %v)", remedy.Named("weak"))},
	{"phases", "time breakdown of applications", false, Phases, needs("kernels or applications (gobench npb, gobench fdtd)")},
	{"waits", "time in which applications wait for ranks of their host and of other hosts", false, Waits, needs("kernels or applications over several hosts (gobench npb %v %v)", remedy.Set("hosts", "a:2,b:2"), remedy.Set("transport", "smem+tcp"))},
	{"onecore", "kernels on one rank relative to a reference", false, OneCore, needs("kernels of two libraries on one rank with one thread")},
	{"productivity", "cost of performance, of runs and of operations, from a price book and the description of a cluster", false, Productivity, unpriced},
	{"startup", "time until all ranks have received the first message, against their number", false, Startup, needs("the start of several numbers of ranks (gobench startup %v)", remedy.Set("np", "2,8,32"))},
	{"variability", "launch-to-launch variability, as boxes", false, Variability, needs("five or more launches of a configuration")},
	{"tails", "latency tail: how rare and how long slow events are", false, Tails, needs("events that were timed one at a time")},
	{"pairs", "time between all pairs of cores or hosts", false, Pairs, needs("ping-pong on several pairs of cores or hosts (gobench p2p %v)", remedy.Set("pin", "pairs"))},
	{"ratios", "what differs: each cell of one side against the same cell of the other", false, Ratios, needs("two files, transports, libraries or other sides to compare")},
	{"together", "time and bandwidth of all ping-pongs in one figure over message size, as papers have it", true, Together, needs("ping-pongs (gobench p2p %v)", remedy.Set("bench", "pingpong,doubles"))},
	{"processor", "processor time of a rank for one iteration, over message size", true, Processor, needs("messages between processes (gobench p2p), or collectives back to back (gobench coll %v)", remedy.Set("start", "none"))},
	{"aggregate", "aggregated bandwidth of collectives over message size, as papers have it", true, Aggregate, needs("collectives of several sizes (gobench coll)")},
	{"delivered", "bandwidth of collectives that all ranks but one receive, against the number of ranks, as F-MPJ has it", true, Delivered, needs("collectives with several numbers of ranks (gobench coll %v, then %v)", remedy.Set("np", "2"), remedy.Set("np", "4"))},
	{"cores", "rate and speedup of all kernels and applications against the number of cores, ranks x threads, as papers have it", true, Cores, needs("kernels or applications on several numbers of cores (gobench npb %v, or %v, then %v)", remedy.Set("np", "1,2,4"), remedy.Set("threads", "1"), remedy.Set("threads", "2"))},
	{"serial", "rates of kernels on one core, side by side", true, Serial, needs("kernels on one rank with one thread (gobench npb %v)", remedy.Set("np", "1"))},
	{"combined", "half round trip to 1 KiB and bandwidth beyond in one panel with two axes, as papers have it", true, Combined, needs("ping-pong of messages to 1 KiB (gobench p2p)")},
}

// All draws every kind that is not optional, concurrently, because they only read the set. The last
// one, which takes longest because of the comparison, begins first.
func All(s *cell.Set) []*Figure {
	drawn := make([][]*Figure, len(Kinds))
	parallel.For(len(Kinds), func(i int) {
		if i = len(Kinds) - 1 - i; !Kinds[i].Optional {
			drawn[i] = Kinds[i].Draw(s)
		}
	})
	return numbered(slices.Concat(drawn...))
}

// numbered appends numbers to equal names, because names become file names.
func numbered(figures []*Figure) []*Figure {
	seen := map[string]bool{}
	for _, f := range figures {
		for name, n := f.Name, 2; seen[f.Name]; n++ {
			f.Name = fmt.Sprintf("%s-%d", name, n)
		}
		seen[f.Name] = true
	}
	return figures
}

// Every draws all kinds, those that are drawn only on request last.
func Every(s *cell.Set) []*Figure {
	all := All(s)
	for _, k := range Kinds {
		if k.Optional {
			all = append(all, k.Draw(s)...)
		}
	}
	return numbered(all)
}

// Named draws the figures of the kind, or the figure, with the given name. A figure that these
// records divide into several, such as one for each host, is all of them. A kind without suitable
// records draws nothing. An unknown name is a *nearest.UnknownError.
func Named(s *cell.Set, name string) ([]*Figure, error) {
	var names []string
	for _, k := range Kinds {
		if k.Name == name {
			return numbered(k.Draw(s)), nil
		}
		names = append(names, k.Name)
	}
	var parts []*Figure
	for _, f := range Every(s) {
		if f.Name == name {
			return []*Figure{f}, nil
		}
		if f.whole == name {
			parts = append(parts, f)
		}
		names = append(names, f.Name)
	}
	if len(parts) > 0 {
		return parts, nil
	}
	slices.Sort(names)
	return nil, &nearest.UnknownError{What: "figure", Name: name, Known: slices.Compact(names), List: "kinds, and figures of these records", Where: fmt.Sprintf("%v prints all", remedy.Set("figure", "list"))}
}
