package is

import (
	"fmt"
	"slices"

	"gobench/kernels/npb"
)

// moments is a checksum of a multiset of keys: their number, their sum, and the sum of the squares
// of key/4, modulo 2^64. A key that was changed or lost changes one of them, and so do two keys
// that became two others of the same sum, unless key/4 of both stays the same. The moments are
// computed from the counts with few additions, which every iteration can afford
// (docs/notes/npb.md).
type moments [3]uint64

// momentsOf returns the moments of one key.
func momentsOf(key int32) moments {
	k := uint64(uint32(key))
	return moments{1, k, (k >> 2) * (k >> 2)}
}

func (m *moments) add(other moments) {
	for i, v := range other {
		m[i] += v
	}
}

func (m *moments) subtract(other moments) {
	for i, v := range other {
		m[i] -= v
	}
}

// sums holds sums that accumulate computes on the way. A block is four key values, the first of
// which is a multiple of four.
type sums struct {
	keys  uint64 // all
	low   uint64 // keys less the first value of their block
	ends  uint64 // sum over all blocks of the keys up to the end of the block
	twice uint64 // sum over all blocks of ends, as it is after the block
}

// moments returns the moments of keys below hi, the end of the last block. A key in block q
// contributes to the sum over the ends of blocks once for each block from q on, hi/4 - q times, and
// to the sum of those sums (hi/4 - q)(hi/4 - q + 1) / 2 times.
func (s sums) moments(hi uint64) moments {
	n := hi / 4
	squares := 2*s.twice - s.ends // of n - q
	return moments{s.keys, 4*(n*s.keys-s.ends) + s.low, n*n*s.keys - 2*n*s.ends + squares}
}

// accumulate replaces the count of each value by the number of keys that are not greater, starting
// from before.
func accumulate(counts []uint32, before uint32) sums {
	var s sums
	sum := before
	for rest := counts; len(rest) >= 4; rest = rest[4:] {
		c := (*[4]uint32)(rest)
		first, second, third, fourth := c[0], c[1], c[2], c[3]
		half := sum + (first + second)
		c[0] = sum + first
		c[1] = half
		c[2] = half + third
		sum = half + (third + fourth)
		c[3] = sum
		s.low += uint64(second + fourth + 2*(third+fourth))
		s.ends += uint64(sum)
		s.twice += s.ends
	}
	blocks, less := uint64(len(counts)/4), uint64(before)
	s.keys = uint64(sum) - less
	s.ends -= blocks * less
	s.twice -= blocks * (blocks + 1) / 2 * less
	return s
}

// expect computes the moments of the keys of this rank in each iteration, before the first
// iteration replaces keys.
func (s *instance) expect() {
	var m moments
	for _, k := range s.keys {
		m.add(momentsOf(k))
	}
	for it := 1; it <= iterations; it++ {
		if s.rank.Comm.Rank() == 0 {
			at, keys := s.size.replaced(it)
			for i := range at {
				m.subtract(momentsOf(s.keys[at[i]]))
				m.add(momentsOf(keys[i]))
			}
		}
		s.drawn[it-1] = m
	}
}

// count stores the moments of the keys received in an iteration, from the counts.
func (s *instance) count(iteration int) {
	m := &s.counted[iteration-1]
	*m = moments{}
	for i := range s.counter.parts {
		p := &s.counter.parts[i]
		m.add(p.sums.moments(uint64(p.last) << s.counter.shift))
	}
}

// lost returns, for each iteration, the moments of the keys received by this rank minus those of
// the keys that it had. The sum over all ranks is 0 if no key was lost.
func (s *instance) lost() []uint64 {
	var all []uint64
	for it := range iterations {
		for i, n := range s.counted[it] {
			all = append(all, n-s.drawn[it][i])
		}
	}
	return all
}

// arrived checks that nothing was lost, by the sum over all ranks.
func arrived(lost []uint64) npb.Check {
	wrong := 0
	for m := range slices.Chunk(lost, len(moments{})) {
		if moments(m) != (moments{}) {
			wrong++
		}
	}
	return npb.Check{Name: fmt.Sprintf("number of iterations of %d in which keys were changed or lost on their way", iterations), Value: float64(wrong), Error: float64(wrong)}
}
