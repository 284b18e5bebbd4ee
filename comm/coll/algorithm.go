package coll

import (
	"slices"

	"gobench/comm/schedule"
	"gobench/internal/comm/coll/shared"
)

// An Algorithm implements one collective operation. Exactly one of Build, Library and Shared is
// set.
type Algorithm struct {
	Name   string // the name common in the literature, "binomial"
	Kind   schedule.Kind
	Source string // the paper and section, or the library, that describes it
	About  string // one line

	// Param names the meaning of the number in NAME:NUMBER ("the radix k", "the bytes of a
	// segment"); it is "" for an algorithm without a parameter. Default is used if no number is
	// given. Values are the parameters that gobench tune tries.
	Param   string
	Default int
	Values  []int

	Hosts bool // it fits only where ranks are on several hosts

	// Fits returns the reason why the algorithm cannot be used for a shape, or "" if it can. It
	// must return the same on all ranks. A nil Fits accepts every shape.
	Fits func(s *schedule.Shape) string

	Build func(b *schedule.Builder, param int) // emits the program of one rank
	share shared.Func                          // works in shared memory

	Library bool // the library under the device runs it (device.Collector); only where it is named
}

// Shared reports whether the algorithm works in shared memory.
func (a *Algorithm) Shared() bool { return a.share != nil }

// Changed returns an algorithm in shared memory that does not exist: a, and then change, for tests
// of those who check results.
func (a Algorithm) Changed(name string, change func(*schedule.Call)) *Algorithm {
	right := a.share
	a.Name, a.share = name, func(arena *shared.Arena, c *shared.Call) error {
		err := right(arena, c)
		change((*schedule.Call)(c))
		return err
	}
	return &a
}

// catalogue holds the algorithms of each operation. It is filled once, before main, because the
// start of each rank looks up about a hundred algorithms for the default tables.
var catalogue [schedule.Kinds][]Algorithm

// fillCatalogue sets catalogue. It cannot be a variable's initial value, because algorithms of two
// levels choose others from it.
func fillCatalogue() {
	for _, a := range slices.Concat(
		barriers(), bcasts(), scatters(), gathers(), allgathers(), alltoalls(),
		reduces(), allreduces(), reduceScatters(),
		prefixes(schedule.Scan, "all copy in, each combines those up to its own"),
		prefixes(schedule.Exscan, "all copy in, each combines those before its own"),
		neighbors(), libraries(),
	) {
		catalogue[a.Kind] = append(catalogue[a.Kind], a)
	}
}

// All returns every algorithm, by operation: the simplest first, and that of libraries last.
func All() []Algorithm { return slices.Concat(catalogue[:]...) }

// Of returns the algorithms of one operation, which must not be changed.
func Of(kind schedule.Kind) []Algorithm { return catalogue[kind] }

// An exchange emits a transfer to one rank and one from a rank, as schedule.Builder.Exchange does.
type exchange func(b *schedule.Builder, out schedule.Mem, to int, in schedule.Mem, from int)

// exchangeNonBlocking is an exchange with both sides non-blocking.
func exchangeNonBlocking(b *schedule.Builder, out schedule.Mem, to int, in schedule.Mem, from int) {
	r := b.Irecv(in, from)
	s := b.Isend(out, to)
	b.Wait(r, s)
}

// inMemory returns an algorithm in shared memory, whose name begins with smem-.
func inMemory(kind schedule.Kind, name, about string, share shared.Func) Algorithm {
	return Algorithm{
		Name: "smem-" + name, Kind: kind, About: about, share: share,
		Source: "collectives in the device layer: thesis, future work; here package shared",
		Fits: func(s *schedule.Shape) string {
			if !shared.Holds(s) {
				return "the store of a rank is too small for this number of ranks, or for such elements"
			}
			return ""
		},
	}
}

// messages returns a function that makes algorithms of one operation, by messages and without a
// parameter.
func messages(kind schedule.Kind) func(name, source, about string, build func(*schedule.Builder)) Algorithm {
	return func(name, source, about string, build func(*schedule.Builder)) Algorithm {
		return Algorithm{
			Name: name, Kind: kind, Source: source, About: about,
			Build: func(b *schedule.Builder, _ int) { build(b) },
		}
	}
}

// where returns the algorithm for the shapes that fits accepts.
func (a Algorithm) where(fits func(*schedule.Shape) string) Algorithm {
	a.Fits = fits
	return a
}

// needs returns a Fits that gives this reason for shapes that are not ok.
func needs(reason string, ok func(s *schedule.Shape) bool) func(*schedule.Shape) string {
	return func(s *schedule.Shape) string {
		if ok(s) {
			return ""
		}
		return reason
	}
}

var (
	commutes        = needs("it combines in another order than that of the ranks", func(s *schedule.Shape) bool { return s.Commutative })
	equalBlocks     = needs("it works on equal blocks", (*schedule.Shape).Uniform)
	evenRanks       = needs("it works on an even number of ranks", func(s *schedule.Shape) bool { return s.Ranks%2 == 0 })
	powerOfTwoRanks = needs("it works on a power of two of ranks", func(s *schedule.Shape) bool { return isPower(s.Ranks) })
)
