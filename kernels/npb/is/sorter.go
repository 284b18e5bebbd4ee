package is

import (
	"math"
	"sort"

	"gobench/bench/team"
	"gobench/internal/simd"
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

// counter counts the keys of the share of a rank by value. Each thread counts a range of buckets
// with about equally many keys.
type counter struct {
	team *team.Team
	// leaves out a key that is out of range, from a corrupt message; verification then finds that
	// it is missing
	tally  simd.Tally
	shift  int
	lo     int32    // first value of the share
	counts []uint32 // keys of the share up to value lo + i

	keys      []int32
	at, sizes []int               // of what came from each rank
	group     *[maxBuckets]uint16 // of each bucket, in whose order the keys lie
	parts     []part
	work      func(thread int)
}

// part is the range of buckets of a thread: first to last-1, and the number of keys of the share in
// lower buckets.
type part struct {
	first, last int
	before      uint32
	sums        sums // of what was counted
}

// newCounter returns a counter for about a number of keys.
func newCounter(team *team.Team, shift, keys int) *counter {
	c := &counter{team: team, tally: simd.BestFor(4 * keys / team.Threads()).Tally, shift: shift, parts: make([]part, team.Threads())}
	c.work = c.countPart
	return c
}

// count counts keys. Those from rank i are keys[at[i]:at[i]+sizes[i]], in the order of their
// groups. totals are the sizes of all buckets.
func (c *counter) count(keys []int32, at, sizes []int, totals []int64, s share, group *[maxBuckets]uint16) {
	c.keys, c.at, c.sizes, c.group = keys, at, sizes, group
	c.lo = int32(s.first << c.shift)
	values := max(0, s.last+1-s.first) << c.shift
	if values > cap(c.counts) {
		// Two more buckets: the keys that change may move the borders of the share.
		c.counts = application.Array[uint32](values + 2<<c.shift)
	}
	c.counts = c.counts[:values]
	c.divide(totals, s)
	c.team.Run(c.work)
}

// divide assigns buckets to threads, in whole groups.
func (c *counter) divide(totals []int64, s share) {
	threads := int64(len(c.parts))
	var all, sum int64
	for b := s.first; b <= s.last; b++ {
		all += totals[b]
	}
	b := s.first
	for t := range c.parts {
		c.parts[t].first, c.parts[t].before = b, uint32(sum)
		for b <= s.last && (sum < all*int64(t+1)/threads || int64(t) == threads-1 || b > s.first && c.group[b] == c.group[b-1]) {
			sum += totals[b]
			b++
		}
		c.parts[t].last = b
	}
}

// countPart counts the keys of each value and accumulates the counts.
func (c *counter) countPart(thread int) {
	p := &c.parts[thread]
	p.sums = sums{}
	lo, hi := p.first<<c.shift, p.last<<c.shift // 2^31 behind the last key of class E
	if lo >= hi {
		return
	}
	counts := c.counts[lo-int(c.lo) : hi-int(c.lo)]
	clear(counts)
	for rank, at := range c.at {
		keys := c.keys[at : at+c.sizes[rank]]
		if len(c.parts) > 1 {
			keys = c.between(keys, int32(lo), int32(hi-1))
		}
		c.tally(counts, keys, int32(lo))
	}
	p.sums = accumulate(counts, p.before)
}

// between returns the keys of the groups that cover values from lo to hi. keys are in the order of
// their groups.
func (c *counter) between(keys []int32, lo, hi int32) []int32 {
	group := func(k int32) uint16 { return c.group[uint32(k)>>(uint(c.shift)&31)%maxBuckets] }
	first := sort.Search(len(keys), func(i int) bool { return group(keys[i]) >= group(lo) })
	last := sort.Search(len(keys), func(i int) bool { return group(keys[i]) > group(hi) })
	return keys[first:last]
}
