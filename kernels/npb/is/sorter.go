package is

import (
	"math"

	"gobench/internal/simd"
	"gobench/internal/team"
	"gobench/kernels/application"
)

// maxBuckets is the greatest number of buckets of a class.
const maxBuckets = 1 << 10

// groups is the number of groups of neighbouring buckets into which keys are sorted. Keys that a
// rank sends need no finer order. With fewer groups consecutive keys more often have the same group
// and depend on each other; with more the write positions leave the L1 cache. 512 were fastest
// (docs/notes/npb.md).
const groups = 512

// sorter counts keys by bucket (their upper bits) and sorts them into groups of buckets. Each
// thread has a part of the keys.
type sorter struct {
	team  *team.Team
	shift int // of a key to its bucket
	n     int // buckets

	sizes []int32            // of buckets
	group [maxBuckets]uint16 // of each bucket
	out   []int32            // the keys by groups, or by ranks
	apart int                // free places before and after the keys of each rank

	partition              simd.Partition
	keys                   []int32
	counts, heads          []table // of each thread: sizes of buckets, where the next key of each group goes
	countWork, scatterWork func(thread int)
}

// table has a number for each bucket or group.
type table [maxBuckets]uint32

// newSorter returns a sorter for the given number of keys.
func newSorter(team *team.Team, s size, keys int, o Order) *sorter {
	threads := team.Threads()
	t := &sorter{
		team: team, shift: s.maxKey - s.buckets, n: 1 << s.buckets,
		sizes: make([]int32, 1<<s.buckets), partition: simd.Best().Partition,
		counts: make([]table, threads), heads: make([]table, threads),
	}
	switch o {
	case byRank:
		t.apart = simd.PartitionSlack
		t.out = application.Array[int32](keys + (simd.Parts+1)*t.apart)
	case byGroup:
		t.out = application.Array[int32](keys)
	}
	t.countWork, t.scatterWork = t.countPart, t.scatterPart
	return t
}

// count counts the keys of all buckets.
func (s *sorter) count(keys []int32) {
	s.keys = keys
	s.team.Run(s.countWork)
	for b := range s.n {
		sum := uint32(0)
		for t := range s.counts {
			sum += s.counts[t][b]
		}
		s.sizes[b] = int32(sum)
	}
}

// countPart counts with two tables, so that consecutive keys of one bucket do not depend on each
// other.
func (s *sorter) countPart(thread int) {
	lo, hi := application.Part(len(s.keys), thread, len(s.counts))
	keys, shift := s.keys[lo:hi], uint(s.shift)&31
	h := &s.counts[thread]
	*h = table{}
	var other table
	for len(keys) >= 4 {
		k := (*[4]int32)(keys)
		h[uint32(k[0])>>shift%maxBuckets]++
		other[uint32(k[1])>>shift%maxBuckets]++
		h[uint32(k[2])>>shift%maxBuckets]++
		other[uint32(k[3])>>shift%maxBuckets]++
		keys = keys[4:]
	}
	for _, k := range keys {
		h[uint32(k)>>shift%maxBuckets]++
	}
	for b, n := range other {
		h[b] += n
	}
}

// divide sorts the keys by rank (order byRank): those of buckets from firsts[i] on are stored from
// at[i] on.
func (s *sorter) divide(firsts, at []int) {
	var heads [simd.Parts]int
	var bounds [simd.Parts - 1]int32
	copy(heads[:], at) // parts without a rank are empty, before all others
	for i := range bounds {
		bounds[i] = math.MaxInt32
		if i+1 < len(firsts) {
			bounds[i] = int32(firsts[i+1] << s.shift)
		}
	}
	s.partition(s.out, s.keys, &bounds, &heads)
}

// scatter sorts the counted keys into groups. A group begins at every bucket of firsts, which
// ascend, and otherwise when the previous one has n/groups buckets.
func (s *sorter) scatter(firsts []int) {
	width := max(1, s.n/groups)
	at, group, since := uint32(0), -1, width
	for b := range s.n {
		begins := len(firsts) > 0 && firsts[0] == b
		if begins {
			firsts = firsts[1:]
		}
		if begins || since == width {
			group, since = group+1, 0
			for t := range s.heads {
				s.heads[t][group] = 0
			}
		}
		since++
		s.group[b] = uint16(group)
		for t := range s.counts {
			s.heads[t][group] += s.counts[t][b]
		}
	}
	for g := range group + 1 {
		for t := range s.heads {
			size := s.heads[t][g]
			s.heads[t][g] = at
			at += size
		}
	}
	s.team.Run(s.scatterWork)
}

// block is the number of keys whose positions are computed before they are stored.
const block = 512

// scatterPart computes the positions of a block of keys first and then stores them. In a single
// loop the processor could not load the next write position before the address of the previous
// store is known, which serialises the keys.
func (s *sorter) scatterPart(thread int) {
	lo, hi := application.Part(len(s.keys), thread, len(s.heads))
	keys, shift, heads, out := s.keys[lo:hi], uint(s.shift)&31, &s.heads[thread], s.out
	var positions [block]uint32
	for len(keys) > 0 {
		part := keys[:min(block, len(keys))]
		keys = keys[len(part):]
		for i, k := range part {
			g := s.group[uint32(k)>>shift%maxBuckets] % maxBuckets
			at := heads[g]
			heads[g] = at + 1
			positions[i%block] = at
		}
		for i, k := range part {
			out[positions[i%block]] = k
		}
	}
}
