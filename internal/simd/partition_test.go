package simd

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gobench/internal/fuzzing"
)

// comparePartition compares all sets with selections of keys one after the other.
func comparePartition(t *testing.T, keys []int32, bounds [Parts - 1]int32) {
	t.Helper()
	var want [Parts][]int32
	for _, k := range keys {
		part := 0
		for part < Parts-1 && k >= bounds[part] {
			part++
		}
		want[part] = append(want[part], k)
	}
	for _, s := range Sets() {
		const before = 3
		out := make([]int32, before+len(keys)+Parts*PartitionSlack)
		var heads, begins [Parts]int
		at := before
		for j := range heads {
			heads[j], begins[j] = at, at
			at += len(want[j]) + PartitionSlack
		}
		for i := range out {
			out[i] = -7
		}
		half := len(keys) / 2
		s.Partition(out, keys[:half], &bounds, &heads)
		s.Partition(out, keys[half:], &bounds, &heads)
		for j := range heads {
			if got := out[begins[j]:heads[j]]; !slices.Equal(got, want[j]) {
				t.Fatalf("%s: part %d of %d keys at bounds %v is %v, want %v", s.Level, j, len(keys), bounds, got, want[j])
			}
		}
		for i, k := range out[:before] {
			if k != -7 {
				t.Errorf("%s: element %d before the first part is overwritten", s.Level, i)
			}
		}
	}
}

func TestPartitionTwins(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 7, 8, 15, 16, 17, 31, 32, 33, 64, 1000} {
		keys := make([]int32, n)
		for i := range keys {
			keys[i] = random.Int32N(100)
		}
		for _, bounds := range [][Parts - 1]int32{{25, 50, 75}, {1, 2, 3}, {50, 50, 50}, {0, 0, 100}, {100, 100, 100}, {-5, 30, math.MaxInt32}, {math.MinInt32, 0, 40}} {
			comparePartition(t, keys, bounds)
		}
	}
}

func FuzzPartition(t *testing.F) {
	f := fuzzing.New(t)
	f.Add(uint64(1), uint64(2), uint16(64), int32(10), int32(20), int32(30))
	f.Fuzz(func(t *testing.T, a, b uint64, n uint16, b0, b1, b2 int32) {
		random := rand.New(rand.NewPCG(a, b))
		bounds := [Parts - 1]int32{b0, b1, b2}
		slices.Sort(bounds[:])
		keys := make([]int32, n%200)
		for i := range keys {
			keys[i] = int32(random.Uint32())
			if random.IntN(2) == 0 { // near a bound
				keys[i] = bounds[random.IntN(len(bounds))] + random.Int32N(3) - 1
			}
		}
		comparePartition(t, keys, bounds)
	})
}

func BenchmarkPartition(b *testing.B) {
	random := rand.New(rand.NewPCG(5, 6))
	keys := make([]int32, 1<<20)
	for i := range keys {
		keys[i] = random.Int32N(1 << 19)
	}
	out := make([]int32, 2*len(keys))
	for _, s := range Sets() {
		b.Run(s.Level, func(b *testing.B) {
			for b.Loop() {
				heads := [Parts]int{0, 1 << 19, 2 << 19, 3 << 19}
				s.Partition(out, keys, &[Parts - 1]int32{1 << 17, 2 << 17, 3 << 17}, &heads)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(keys)), "ns/key")
		})
	}
}
