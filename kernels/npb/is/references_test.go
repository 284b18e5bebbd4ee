package is

import (
	"math"
	"testing"

	"gobench/kernels/application"
	"gobench/kernels/kerneltest"
	"gobench/kernels/npb"
	"gobench/kernels/npb/random"
)

// keyAt returns a key of a class before any iteration, by its place among the keys of all ranks.
func (s size) keyAt(position int64) int64 {
	stream := random.At(random.Seed, 4*uint64(position))
	return int64(float64(int64(1)<<s.maxKey) / 4 * (stream.Next() + stream.Next() + stream.Next() + stream.Next()))
}

// below returns the probability that the sum of four uniform numbers is less than x.
func below(x float64) float64 {
	p := 0.0
	for k, choose := range []float64{1, -4, 6, -4} {
		if d := x - float64(k); d > 0 {
			p += choose * d * d * d * d
		}
	}
	return p / 24
}

// The references of every class belong to its keys: the rank of a test key is its share of the
// distribution, and its drift is what the replaced keys add and take away below it.
func TestReferencesBelongToTheKeys(t *testing.T) {
	for _, class := range npb.Classes() {
		s := sizeOf(class)
		n := float64(int64(1) << s.keys)
		for i, position := range s.test {
			key := s.keyAt(position)
			p := below(4 * float64(key) / float64(int64(1)<<s.maxKey))
			if d := math.Abs(float64(s.ranks[i]) - p*n); d > 6*math.Sqrt(n*p*(1-p))+30 {
				t.Errorf("class %v: test key %d is %d: rank %d, about %.0f are expected", class, i, key, s.ranks[i], p*n)
			}
			moved := 0
			for it := 1; it <= iterations; it++ {
				at, keys := s.replaced(it)
				for j := range at {
					if int64(keys[j]) < key {
						moved++
					}
					if s.keyAt(int64(at[j])) < key {
						moved--
					}
				}
				if it == 1 {
					moved = 0 // the references include what the first iteration does
				}
				if got := s.drift(i, it) - s.drift(i, 1); got != moved {
					t.Errorf("class %v: test key %d drifts by %d from iteration 1 to %d, want %d", class, i, got, it, moved)
				}
			}
		}
	}
}

// The values behind the last key of class E do not fit in a key.
func TestTheLastKeysOfClassE(t *testing.T) {
	s := sizeOf(npb.E)
	kerneltest.Run(t, kerneltest.Shared, 1, 2, func(r *application.Rank) error {
		c := newCounter(r.Team, s.maxKey-s.buckets, 0)
		last := 1<<s.buckets - 1
		var group [maxBuckets]uint16
		for b := range group {
			group[b] = uint16(b)
		}
		keys := []int32{int32((last - 1) << c.shift), int32(last << c.shift), math.MaxInt32, math.MaxInt32}
		totals := make([]int64, 1<<s.buckets)
		totals[last-1], totals[last] = 1, 3
		c.count(keys, []int{0}, []int{len(keys)}, totals, share{first: last - 1, last: last, before: 7}, &group)
		if n := len(c.counts); n != 2<<c.shift || c.counts[0] != 1 || c.counts[n-2] != 2 || c.counts[n-1] != 4 {
			t.Errorf("%d values, %d, %d and %d keys up to the first, the last but one and the last", n, c.counts[0], c.counts[n-2], c.counts[n-1])
		}
		return nil
	})
}

// No rank has, or sends, more keys than an int32 counts, and keys have at most 31 bits.
func TestRanksOfLargeClasses(t *testing.T) {
	for _, c := range []struct {
		class npb.Class
		ranks int
		legal bool
	}{
		{npb.D, 2, false}, {npb.D, 4, true}, {npb.E, 32, false}, {npb.E, 64, true},
		{"2E", 64, false}, {"16D", 16, false}, {"16D", 32, true}, {"16C", 1, true},
	} {
		if err := Kernel(Auto).Legal(c.class, c.ranks); (err == nil) != c.legal {
			t.Errorf("class %v on %d ranks: %v", c.class, c.ranks, err)
		}
	}
}
