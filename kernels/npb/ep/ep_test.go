package ep

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"gobench/internal/simd"
	"gobench/kernels/application"
	"gobench/kernels/kerneltest"
	"gobench/kernels/npb"
	"gobench/kernels/npb/random"
)

func TestClassS(t *testing.T) {
	kerneltest.ClassS(t, Kernel(), []int{1, 2, 3, 5, 8, 11}, []int{2})
}

func TestClassW(t *testing.T) {
	if testing.Short() {
		return // it has nothing new for a race detector
	}
	kerneltest.Verify(t, Kernel(), npb.W, kerneltest.Shared, 4, 1)
}

// The counts of class S by distance, from published output.
func TestCountsOfClassS(t *testing.T) {
	var sums simd.PolarSums
	x, y := make([]float64, 1<<16), make([]float64, 1<<16)
	stream := random.At(seed, 0)
	for range classes[npb.S].batches() {
		stream.FillPairs(x, y)
		simd.Best().Polar(x, y, &sums)
	}
	if want := [10]int64{6140517, 5865300, 1100361, 68546, 1648, 17}; sums.Counts != want {
		t.Errorf("counts are %v, want %v", sums.Counts, want)
	}
}

// Ranks send only their results: two sums and ten counts, in three reductions
// (NASA RNR-94-007, section 2.2.1).
func TestVolumeIsThatOfThreeSums(t *testing.T) {
	want := kerneltest.Sent{Collectives: application.Traffic{Messages: 3, Bytes: 8 * (1 + 1 + 10)}}
	kerneltest.Volume(t, Kernel(), npb.S, 3, func(int) kerneltest.Sent { return want })
}

func TestLegalRanks(t *testing.T) {
	legal := Kernel().Legal
	if err := legal(npb.S, 256); err != nil {
		t.Error(err)
	}
	for _, ranks := range []int{0, 257} {
		var e *npb.RanksError
		if err := legal(npb.S, ranks); !errors.As(err, &e) {
			t.Errorf("%d ranks: %v, want an error that names the legal numbers", ranks, err)
		}
	}
}

func TestBatchesAllocateNothing(t *testing.T) {
	kerneltest.Run(t, kerneltest.Shared, 1, 2, func(r *application.Rank) error {
		made, err := newInstance(r, npb.S)
		if err != nil {
			return err
		}
		e := made.(*instance)
		e.batches = 4
		if n := kerneltest.Allocs(func() { e.rank.Team.Run(e.work) }); n > 0 {
			t.Errorf("a run allocates %v times", n)
		}
		return nil
	})
}

func BenchmarkKernel(b *testing.B) {
	for _, ranks := range []int{1, 4} {
		b.Run(fmt.Sprintf("A/%d", ranks), func(b *testing.B) { kerneltest.Rate(b, Kernel(), npb.A, ranks, 1) })
	}
}

// The references of every class are near what the distribution predicts: pi/4 of the pairs are
// accepted, and the sums of their deviates are small.
func TestReferencesAreNearTheDistribution(t *testing.T) {
	for _, class := range npb.Classes() {
		s := sizeOf(class)
		pairs := math.Ldexp(1, s.m)
		if p := math.Pi / 4; math.Abs(s.count-p*pairs) > 6*math.Sqrt(pairs*p*(1-p)) || s.count != math.Trunc(s.count) {
			t.Errorf("class %v: %.0f of 2^%d pairs", class, s.count, s.m)
		}
		for _, sum := range []float64{s.x, s.y} {
			if sum == 0 || math.Abs(sum) > 6*math.Sqrt(s.count) {
				t.Errorf("class %v: sums %g and %g of %.0f pairs", class, s.x, s.y, s.count)
			}
		}
	}
}
