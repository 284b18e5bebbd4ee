package simd

import (
	"os"
	"sync"
	"sync/atomic"
)

// A part is the kernels of a Set whose instruction set is chosen together. Which one is fastest
// depends on the processor: wide gathers, for example, are slower than scalar loads on some.
type part struct {
	name string
	take func(to, from *Set)
}

var allParts = []part{
	{"reductions", takeReductions},
	{"grid", func(to, from *Set) { to.Grid = from.Grid }},
	{"fourier", func(to, from *Set) { to.Fourier = from.Fourier }},
	{"solver", func(to, from *Set) { to.Solver = from.Solver }},
	{"polar", func(to, from *Set) { to.Polar = from.Polar }},
	{"partition", func(to, from *Set) { to.Partition = from.Partition }},
	{"tally", func(to, from *Set) { to.Tally = from.Tally }},
	{"yee", func(to, from *Set) { to.Yee32, to.Yee64 = from.Yee32, from.Yee64 }},
	{"flow", func(to, from *Set) { to.Flow = from.Flow }},
	{"transposer", func(to, from *Set) { to.Transposer = from.Transposer }},
	{"blocks", func(to, from *Set) { to.Blocks = from.Blocks }},
	{"penta", func(to, from *Set) { to.Penta = from.Penta }},
	{"relax", func(to, from *Set) { to.Relax = from.Relax }},
}

func takeReductions(to, from *Set) {
	to.Int8, to.Int16, to.Int32, to.Int64 = from.Int8, from.Int16, from.Int32, from.Int64
	to.Uint8, to.Uint16, to.Uint32, to.Uint64 = from.Uint8, from.Uint16, from.Uint32, from.Uint64
	to.Float32, to.Float64, to.Complex64, to.Complex128 = from.Float32, from.Float64, from.Complex64, from.Complex128
	to.And, to.Or, to.Xor = from.And, from.Or, from.Xor
}

// chosen is the set that Choose has put together, nil before.
var (
	chosen   atomic.Pointer[Set]
	choosing sync.Mutex
	current  map[string]string // what the last Choose was given
)

// Choose makes Best return a set each part of which is the candidate that pick returns for its
// name: one of Candidates, or another word for the best instruction set. Variable takes precedence.
// It reports whether that differs from what the call before has chosen.
func Choose(pick func(part string) string) (changed bool) {
	if os.Getenv(Variable) != "" {
		return false
	}
	choosing.Lock()
	defer choosing.Unlock()
	now := map[string]string{}
	set := *best
	for _, p := range allParts {
		if candidate := pick(p.name); p.put(&set, candidate) {
			now[p.name] = candidate
		}
	}
	for _, p := range allParts {
		changed = changed || now[p.name] != current[p.name]
	}
	if current = now; changed {
		chosen.Store(&set)
	}
	return changed
}
