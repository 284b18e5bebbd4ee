package simd

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gobench/internal/fuzzing"
)

// tallyTwins compares all sets with counting one key after the other, with keys inside and outside
// of the counts.
func tallyTwins(t *testing.T, random *rand.Rand, n, values int) {
	t.Helper()
	const guard = 7
	lo := random.Int32N(1<<20) - 1<<19
	keys := make([]int32, n)
	want := make([]uint32, values+2*guard)
	for i := range want {
		want[i] = uint32(i)
	}
	begin := slices.Clone(want)
	for i := range keys {
		switch random.IntN(8) {
		case 0:
			keys[i] = int32(random.Uint32())
		case 1:
			keys[i] = []int32{lo - 1, lo + int32(values), math.MinInt32, math.MaxInt32}[random.IntN(4)]
		default:
			keys[i] = lo + random.Int32N(int32(values+1)) // the last is outside
		}
		if k := int64(keys[i]) - int64(lo); k >= 0 && k < int64(values) {
			want[guard+k]++
		}
	}
	for _, s := range Sets() {
		got := slices.Clone(begin)
		s.Tally(got[guard:guard+values], keys, lo)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %d keys from %d on have counts %v, want %v", s.Level, n, lo, got, want)
		}
	}
}

func TestTallyTwins(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for n := range 200 {
		tallyTwins(t, random, n, n%33)
	}
	tallyTwins(t, random, 3<<17+5, 1000) // more than are counted by one call of assembly
}

func FuzzTally(t *testing.F) {
	f := fuzzing.New(t)
	f.Add(uint64(1), uint16(37), uint16(5))
	f.Fuzz(func(t *testing.T, seed uint64, n, values uint16) {
		tallyTwins(t, rand.New(rand.NewPCG(seed, 0)), int(n)%500, int(values)%100)
	})
}
