package simd

import (
	"cmp"
	"maps"
	"math"
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

// bounds are the sizes of data in bytes for which a part may have its own choices: gathers and
// prefetches that are slow on data in the first caches may be the fastest from memory.
var bounds = [...]struct {
	bytes int
	name  string // follows that of the part
}{{1 << 20, " to 1M"}, {8 << 20, " to 8M"}, {math.MaxInt, ""}}

// chosen are the sets that Choose has put together, nil before.
var (
	chosen   atomic.Pointer[[len(bounds)]Set]
	choosing sync.Mutex
	current  map[string]string // what the last Choose was given
)

// Choose makes BestFor return sets each part of which is the candidate that pick returns for its
// name with the bound of its data, such as "solver to 1M", or if that is "" for its name alone: one
// of Candidates, or another word for the best instruction set. Variable takes precedence. It
// reports whether that differs from what the call before has chosen.
func Choose(pick func(part string) string) (changed bool) {
	if os.Getenv(Variable) != "" {
		return false
	}
	choosing.Lock()
	defer choosing.Unlock()
	now := map[string]string{}
	var sets [len(bounds)]Set
	for i, bound := range bounds {
		sets[i] = *best
		for _, p := range allParts {
			name := p.name + bound.name
			if candidate := cmp.Or(pick(name), pick(p.name)); p.put(&sets[i], candidate) {
				now[name] = candidate
			}
		}
	}
	if changed = !maps.Equal(now, current); changed {
		current = now
		chosen.Store(&sets)
	}
	return changed
}
