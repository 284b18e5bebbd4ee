package is

import (
	"sort"

	"gobench/internal/simd"
	"gobench/internal/team"
	"gobench/kernels/application"
)

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
