package is

import "gobench/kernels/application"

// maxBuckets is the greatest number of buckets of a class.
const maxBuckets = 1 << 10

// sorter puts keys into buckets by their upper bits. Each thread does it with a part
// of the keys: it counts what falls into each bucket, and then puts them to where the
// threads before it leave off.
type sorter struct {
	team  *application.Team
	shift int
	n     int // buckets

	out   []int32 // the keys by buckets
	sizes []int32 // of buckets

	keys           []int32
	heads          []heads // of each thread
	count, scatter func(thread int)
}

// heads are the sizes of a thread's buckets, and then where its next key of each
// goes.
type heads [maxBuckets]uint32

func newSorter(team *application.Team, s size, keys int) sorter {
	return sorter{
		team: team, shift: s.maxKey - s.buckets, n: 1 << s.buckets,
		out: application.Array[int32](keys), sizes: make([]int32, 1<<s.buckets), heads: make([]heads, team.Threads()),
	}
}

func (s *sorter) sort(keys []int32) {
	if s.count == nil { // the sorter lies where it stays
		s.count, s.scatter = s.countPart, s.scatterPart
	}
	s.keys = keys
	s.team.Run(s.count)
	at := uint32(0)
	for b := range s.n {
		first := at
		for t := range s.heads {
			size := s.heads[t][b]
			s.heads[t][b] = at
			at += size
		}
		s.sizes[b] = int32(at - first)
	}
	s.team.Run(s.scatter)
}

// countPart counts with two tables, so that two keys of one bucket in a row need
// not wait for each other.
func (s *sorter) countPart(thread int) {
	lo, hi := application.Part(len(s.keys), thread, len(s.heads))
	keys, shift := s.keys[lo:hi], uint(s.shift)&31
	h := &s.heads[thread]
	*h = heads{}
	var other heads
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

func (s *sorter) scatterPart(thread int) {
	lo, hi := application.Part(len(s.keys), thread, len(s.heads))
	shift, h, out := uint(s.shift)&31, &s.heads[thread], s.out
	for _, k := range s.keys[lo:hi] {
		b := uint32(k) >> shift % maxBuckets
		at := h[b]
		h[b] = at + 1
		out[at] = k
	}
}
