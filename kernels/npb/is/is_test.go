package is

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"gobench/internal/simd"
	"gobench/kernels/application"
	"gobench/kernels/kerneltest"
	"gobench/kernels/npb"
	"gobench/kernels/npb/random"
)

func TestClassS(t *testing.T) {
	kerneltest.ClassS(t, Kernel(Auto), []int{1, 2, 4, 8, 16}, []int{2, 3, 5})
}

func TestClassesWAndA(t *testing.T) {
	if testing.Short() {
		return // they have nothing new for a race detector
	}
	kerneltest.Verify(t, Kernel(Auto), npb.W, kerneltest.Shared, 4, 1)
	kerneltest.Verify(t, Kernel(Auto), npb.A, kerneltest.Shared, 2, 2)
}

func TestEachCandidateIsRight(t *testing.T) {
	defer simd.Choose(func(string) string { return "" })
	for _, name := range simd.Candidates("tally") {
		simd.Choose(func(string) string { return name })
		kerneltest.Verify(t, Kernel(Auto), npb.S, kerneltest.Shared, 1, 1)
	}
}

// One rank may sort its keys as several do, so that a speedup compares one algorithm.
func TestOneRankWithTheAlgorithmOfSeveral(t *testing.T) {
	for _, o := range []Order{byRank, byGroup} {
		kerneltest.Verify(t, Kernel(o), npb.S, kerneltest.Shared, 1, 1)
		kerneltest.Verify(t, Kernel(o), npb.S, kerneltest.Shared, 2, 1)
	}
	for _, c := range []struct {
		order          Order
		ranks, threads int
	}{{asDrawn, 2, 1}, {asDrawn, 1, 2}, {byRank, 1, 2}, {byRank, 2 * simd.Parts, 1}} {
		if _, err := c.order.Of(npb.A, c.ranks, c.threads); err == nil {
			t.Errorf("%s on %d ranks of %d threads", c.order, c.ranks, c.threads)
		}
	}
}

// With more ranks than non-empty buckets some ranks have no keys.
func TestRanksWithoutKeys(t *testing.T) {
	if testing.Short() {
		return // what more ranks do is nothing new for a race detector
	}
	kerneltest.Verify(t, Kernel(Auto), npb.S, kerneltest.Shared, 64, 1)
}

func TestFirstKeysOfClassS(t *testing.T) {
	kerneltest.Run(t, kerneltest.Shared, 1, 1, func(r *application.Rank) error {
		made, err := newInstance(r, npb.S, Auto)
		if err != nil {
			return err
		}
		s := made.(*instance)
		s.draw()
		if want := []int32{1585, 825, 1060, 1343, 956, 437, 759, 841}; !slices.Equal(s.keys[:8], want) {
			t.Errorf("first keys are %v, want %v", s.keys[:8], want)
		}
		if err := s.rankKeys(1); err != nil {
			return err
		}
		if n := kerneltest.Allocs(func() { err = s.rankKeys(2) }); n > 0 {
			t.Errorf("a ranking allocates %v times", n)
		}
		return err
	})
}

// A key that was replaced by its neighbour in transit is still in order, and the official
// verification, of five keys and the order, does not notice. Of iterations before the last only the
// counts remain.
func TestAChangedKeyIsMissed(t *testing.T) {
	kerneltest.Run(t, kerneltest.Shared, 2, 1, func(r *application.Rank) error {
		made, err := newInstance(r, npb.S, Auto)
		if err != nil {
			return err
		}
		s := made.(*instance)
		for _, mistake := range []struct {
			name string
			make func()
			lost bool
		}{
			{"none", func() {}, false},
			{"another key", func() { s.received[100] ^= 1 }, true},
			{"two keys for two others of the same sum", func() { s.received[7] += 4; s.received[8] -= 4 }, true},
			{"one key twice", func() { s.received[7] = s.received[8] }, true},
			{"a key of nobody", func() { s.received[9] |= 1 << 30 }, true},
		} {
			for _, when := range []int{3, iterations} {
				s.draw()
				s.expect()
				for it := 1; it <= iterations; it++ {
					if err := s.rankKeys(it); err != nil {
						return err
					}
					if it == when && r.Comm.Rank() == 1 {
						mistake.make()
						s.counter.count(s.received, s.fromAt, s.fromCounts, s.totals, s.share, &s.sorter.group)
						s.count(it)
					}
				}
				checks, err := s.fullVerify()
				if err != nil {
					return err
				}
				last, all := checks[1], checks[2]
				if last.Right() == (mistake.lost && when == iterations) || all.Right() == mistake.lost || mistake.lost && all.Value != 1 {
					t.Errorf("%s in iteration %d: %v %v, %v %v", mistake.name, when, last.Name, last.Value, all.Name, all.Value)
				}
			}
		}
		return nil
	})
}

func TestLegalRanks(t *testing.T) {
	for _, c := range []struct {
		class npb.Class
		ranks int
		legal bool
	}{{npb.S, 1, true}, {npb.S, 3, false}, {npb.S, 256, false}, {npb.A, 1024, true}, {npb.D, 2, false}, {npb.D, 4, true}} {
		err := Kernel(Auto).Legal(c.class, c.ranks)
		var e *npb.RanksError
		if c.legal != (err == nil) || !c.legal && !errors.As(err, &e) {
			t.Errorf("class %v on %d ranks: %v", c.class, c.ranks, err)
		}
	}
}

func BenchmarkKernel(b *testing.B) {
	for _, class := range []npb.Class{npb.A, npb.B} {
		for _, ranks := range []int{1, 4} {
			b.Run(fmt.Sprintf("%v/%d", class, ranks), func(b *testing.B) { kerneltest.Rate(b, Kernel(Auto), class, ranks, 1) })
		}
	}
}

// In each of ten iterations the ranks sum the sizes of the buckets and the five test keys, exchange
// the numbers of keys that they will send, and send every key to the rank of its bucket: buckets
// are assigned to ranks in order, to each until all up to it have their share (NPB 3.4-MPI, is.c,
// rank).
func TestVolumeIsThatOfTheKeys(t *testing.T) {
	s := classes[npb.S]
	buckets := 1 << s.buckets
	all := make([]int32, 1<<s.keys)
	stream := random.At(random.Seed, 0)
	var four [4]float64
	for i := range all {
		stream.Fill(four[:])
		all[i] = int32(float64(int(1)<<s.maxKey/4) * (four[0] + four[1] + four[2] + four[3]))
	}
	for _, ranks := range []int{2, 4, 16} {
		want := make([]kerneltest.Sent, ranks)
		keys, each := slices.Clone(all), len(all)/ranks
		for it := 1; it <= iterations; it++ {
			keys[it], keys[it+iterations] = int32(it), int32(1<<s.maxKey-it)
			sizes := make([][]int, ranks) // of a rank's buckets
			for from := range sizes {
				sizes[from] = make([]int, buckets)
				for _, k := range keys[from*each : (from+1)*each] {
					sizes[from][int(k)>>(s.maxKey-s.buckets)]++
				}
				want[from].Messages.Messages += int64(ranks - 1)
				want[from].Collectives.Messages += 2
				want[from].Collectives.Bytes += int64(8*(buckets+tests) + 4*ranks)
			}
			for b, to, sum := 0, 0, 0; b < buckets; b++ {
				for from := range sizes {
					sum += sizes[from][b]
					if from != to {
						want[from].Messages.Bytes += int64(4 * sizes[from][b])
					}
				}
				if sum >= (to+1)*each {
					to++
				}
			}
		}
		kerneltest.Volume(t, Kernel(Auto), npb.S, ranks, func(rank int) kerneltest.Sent { return want[rank] })
	}
}

// Moments computed from counts equal those of the counted keys.
func TestMomentsFollowFromCounts(t *testing.T) {
	const lo, before = 40, 1000
	counts := make([]uint32, 24)
	var want moments
	for _, k := range []int32{40, 41, 41, 42, 47, 52, 63, 63, 63} {
		counts[k-lo]++
		want.add(momentsOf(k))
	}
	if got := accumulate(counts, before).moments(lo + 24); got != want {
		t.Errorf("moments are %v, want %v", got, want)
	}
	if counts[0] != 1001 || counts[1] != 1003 || counts[23] != 1009 {
		t.Errorf("counts add up to %v", counts)
	}
}
