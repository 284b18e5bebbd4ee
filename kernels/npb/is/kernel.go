// Package is is the kernel IS of the NAS Parallel Benchmarks: the rank of each of
// many small integer keys, by buckets that are distributed over the ranks
// (NASA RNR-94-007, section 2.2.3; buckets and verification as in NPB 3.4-MPI).
//
// Its bottleneck is memory: each key is read, put into its bucket, sent to the rank of the bucket,
// and counted.
package is

import (
	"fmt"
	"math"
	"strings"

	"gobench/comm"
	"gobench/comm/op"
	"gobench/internal/simd"
	"gobench/kernels/application"
	"gobench/kernels/npb"
	"gobench/kernels/npb/random"
)

// Name is the name of the kernel.
const Name = "is"

// Kernel describes IS with keys in an order.
func Kernel(o Order) *npb.Kernel {
	return &npb.Kernel{
		Name:    Name,
		Last:    npb.E,
		About:   "ranks of integer keys: random access to memory, all to all of most of it",
		Problem: problem,
		Legal: func(class npb.Class, ranks int) error {
			s := sizeOf(class)
			if err := npb.Binary("is", class, s.maxKey >= s.buckets+2); err != nil {
				return err
			}
			if s.maxKey > keyBits {
				return &npb.FactorError{Kernel: "is", Class: class, Why: fmt.Sprintf("its keys would have more than %d bits", keyBits)}
			}
			return npb.PowerOfTwo("is", class, ranks, s.fewest(), min(s.largest, 1<<s.buckets))
		},
		Memory: func(class npb.Class, ranks, threads int) int64 { return memory(class, ranks, threads, o) },
		New:    func(r *application.Rank, class npb.Class) (npb.Instance, error) { return newInstance(r, class, o) },
	}
}

// size holds the parameters of a class. keys, maxKey and buckets are binary logarithms.
type size struct {
	keys, maxKey, buckets int
	smallest, largest     int // ranks

	test  [tests]int64 // places of the test keys
	ranks [tests]int64 // their ranks, without the drift
	drift func(i, iteration int) int
}

const (
	tests      = 5
	iterations = 10
)

// keyBits is the greatest number of bits of a key, which is an int32.
const keyBits = 31

// fewest returns the least number of ranks: the official one, or as many as keep the number of keys
// that a rank has, or sends to another, below 2^31.
func (s size) fewest() int {
	if s.keys <= 31 {
		return s.smallest
	}
	return max(s.smallest, 1<<(s.keys-30))
}

// replaced returns the places on rank 0 at which an iteration replaces keys, and the new keys.
func (s size) replaced(iteration int) (at [2]int, keys [2]int32) {
	return [2]int{iteration, iteration + iterations}, [2]int32{int32(iteration), int32(1<<s.maxKey - iteration)}
}

// up and down return the drift of the rank of a test key over iterations: it rises when keys are
// inserted below it, and falls when keys are removed below it.
func up(offset int) func(int) int   { return func(it int) int { return it + offset } }
func down(offset int) func(int) int { return func(it int) int { return -it - offset } }

// drifting combines the drifts of the test keys of a class.
func drifting(of ...func(int) int) func(i, iteration int) int {
	return func(i, iteration int) int { return of[i](iteration) }
}

// classes holds the parameters of the official classes.
var classes = map[npb.Class]size{
	npb.S: {16, 11, 9, 1, 128,
		[tests]int64{48427, 17148, 23627, 62548, 4431}, [tests]int64{0, 18, 346, 64917, 65463},
		drifting(up(0), up(0), up(0), down(0), down(0))},
	npb.W: {20, 16, 10, 1, 1024,
		[tests]int64{357773, 934767, 875723, 898999, 404505}, [tests]int64{1249, 11698, 1039987, 1043896, 1048018},
		drifting(up(-2), up(-2), down(0), down(0), down(0))},
	npb.A: {23, 19, 10, 1, 1024,
		[tests]int64{2112377, 662041, 5336171, 3642833, 4250760}, [tests]int64{104, 17523, 123928, 8288932, 8388264},
		drifting(up(-1), up(-1), up(-1), down(-1), down(-1))},
	npb.B: {25, 21, 10, 1, 1024,
		[tests]int64{41869, 812306, 5102857, 18232239, 26860214}, [tests]int64{33422937, 10244, 59149, 33135281, 99},
		drifting(down(0), up(0), up(0), down(0), up(0))},
	npb.C: {27, 23, 10, 1, 1024,
		[tests]int64{44172927, 72999161, 74326391, 129606274, 21736814}, [tests]int64{61147, 882988, 266290, 133997595, 133525895},
		drifting(up(0), up(0), up(0), down(0), down(0))},
	npb.D: {31, 27, 10, 4, 1024,
		[tests]int64{1317351170, 995930646, 1157283250, 1503301535, 1453734525}, [tests]int64{1, 36538729, 1978098519, 2145192618, 2147425337},
		drifting(up(0), up(0), down(0), down(0), down(0))},
	npb.E: {35, 31, 10, 64, 1024,
		[tests]int64{21492309536, 24606226181, 12608530949, 4065943607, 3324513396}, [tests]int64{3, 27580354, 3248475153, 30048754302, 31485259697},
		drifting(up(-2), up(-2), decremented, down(-2), down(-2))},
}

// decremented is up(-2) of a key of class E below which two keys are removed, one in iteration 3
// and one in iteration 5.
func decremented(it int) int {
	drift := it - 2
	if it > 2 {
		drift--
	}
	if it > 4 {
		drift--
	}
	return drift
}

// sizeOf returns the parameters of a class. A multiple of a class has that multiple of the keys and
// of their values, and no test keys.
func sizeOf(class npb.Class) size {
	s := classes[class.Letter()]
	if n, _ := class.Doublings(); !class.Official() {
		s.keys, s.maxKey, s.drift = s.keys+n, s.maxKey+n, nil
	}
	return s
}

// passes returns the number of partial verifications of a run.
func (s size) passes() int {
	if s.drift == nil {
		return 0
	}
	return tests * iterations
}

func problem(class npb.Class) npb.Problem {
	keys := int64(1) << sizeOf(class).keys
	return npb.Problem{
		Size:       fmt.Sprint(keys),
		Header:     fmt.Sprintf(" Size:  %d  (class %v)\n Iterations:   %d\n Number of processes:     %%d\n", keys, class, iterations),
		Iterations: iterations,
		Operations: iterations * float64(keys) / 1e6,
		Kind:       "keys ranked",
	}
}

// memory returns the size of the keys of all ranks, the sorted keys unless they are counted as
// drawn, the received keys with several ranks, the keys that the verification puts in order, and
// the counts of the range of keys.
func memory(class npb.Class, ranks, threads int, o Order) int64 {
	s := sizeOf(class)
	order, _ := o.Of(class, ranks, threads)
	keys, arrays := float64(int64(1)<<s.keys), 2.0
	if order != asDrawn {
		arrays++
	}
	if ranks > 1 {
		arrays += room(s, ranks)
	}
	return int64(4*keys*arrays) + 4<<s.maxKey
}

// room returns the greatest number of keys that a rank may receive, relative to those that it
// draws: a rank gets buckets until it has its share, and the largest buckets, in the middle, have
// 8/3 of the mean.
func room(s size, ranks int) float64 { return 1 + 4*float64(ranks)/float64(int(1)<<s.buckets) }

// instance is IS on one rank.
type instance struct {
	rank *application.Rank
	size size

	keys     []int32  // of this rank, as drawn
	sorter   *sorter  // puts them into groups of buckets
	totals   []int64  // of each bucket over all ranks, and then the keys of the test
	share    share    // of the buckets, this rank's
	firsts   []int    // the first bucket of each rank's share; the number of buckets if it is empty
	received []int32  // keys of the share, from one rank after the other
	counter  *counter // counts them

	toCounts, toAt, fromCounts, fromAt []int   // keys to and from each rank, and where they lie
	sendCounts, receiveCounts          []int32 // the counts as they travel

	order  Order  // that keys are put in
	passed uint64 // verifications

	drawn, counted [iterations]moments // of the keys of each iteration: those of this rank, and those that arrived here
}

// Order is the degree to which a rank sorts its keys before they are counted.
type Order string

const (
	Auto    Order = "auto"     // the lowest with which counting is correct and fast
	asDrawn Order = "unsorted" // not at all: one rank of one thread counts its keys where they lie
	byRank  Order = "by rank"  // by the rank that they go to
	byGroup Order = "by group" // by groups of buckets
)

// Orders maps the orders by their names on the command line.
func Orders() map[string]Order {
	return map[string]Order{"auto": Auto, "none": asDrawn, "rank": byRank, "group": byGroup}
}

// Of returns the order of a class on ranks and threads, and an error if o cannot be that.
func (o Order) Of(class npb.Class, ranks, threads int) (Order, error) {
	threads = max(1, threads)
	switch {
	case o == Auto:
		return orderOf(sizeOf(class), ranks, threads), nil
	case o == asDrawn && (ranks > 1 || threads > 1):
		return o, fmt.Errorf("is on %d ranks of %d threads sorts its keys: unsorted is for one rank of one thread", ranks, threads)
	case o == byRank && (threads > 1 || ranks > simd.Parts):
		return o, fmt.Errorf("is sorts its keys by rank with one thread and at most %d ranks", simd.Parts)
	}
	return o, nil
}

// orderOf returns the lowest order with which counting is correct and fast.
func orderOf(s size, ranks, threads int) Order {
	switch {
	case threads > 1 || s.maxKey > nearKeys || ranks > simd.Parts:
		return byGroup
	case ranks > 1:
		return byRank
	default:
		return asDrawn
	}
}

// nearKeys is the binary logarithm of the greatest number of values whose counts, of 4 bytes each,
// stay in a cache: up to there counting is faster than sorting into groups.
const nearKeys = 21

func newInstance(r *application.Rank, class npb.Class, o Order) (npb.Instance, error) {
	order, err := o.Of(class, r.Comm.Size(), r.Team.Threads())
	if err != nil {
		return nil, err
	}
	s := &instance{order: order, rank: r, size: sizeOf(class)}
	ranks := r.Comm.Size()
	n := 1 << s.size.keys / ranks
	s.keys = application.Array[int32](n)
	s.sorter = newSorter(r.Team, s.size, n, s.order)
	switch {
	case s.order == asDrawn:
		s.received = s.keys
	case ranks == 1:
		s.received = s.sorter.out
	default:
		s.received = application.Array[int32](int(float64(n) * room(s.size, ranks)))
	}
	s.counter = newCounter(r.Team, s.size.maxKey-s.size.buckets, n)
	s.totals = make([]int64, 1<<s.size.buckets+tests)
	s.sendCounts, s.receiveCounts = make([]int32, ranks), make([]int32, ranks)
	for _, list := range []*[]int{&s.firsts, &s.toCounts, &s.toAt, &s.fromCounts, &s.fromAt} {
		*list = make([]int, ranks)
	}
	return s, nil
}

// draw generates the keys of this rank, each from the sum of four numbers of the random sequence.
func (s *instance) draw() {
	n := len(s.keys)
	stream := random.At(random.Seed, 4*uint64(n)*uint64(s.rank.Comm.Rank()))
	quarter := float64(int64(1)<<s.size.maxKey) / 4
	var four [4 * 256]float64
	for i := 0; i < n; {
		part := four[:4*min(256, n-i)]
		stream.Fill(part)
		for ; len(part) > 0; part = part[4:] {
			s.keys[i] = int32(quarter * (part[0] + part[1] + part[2] + part[3]))
			i++
		}
	}
}

// Run implements npb.Instance: one untimed ranking, ten timed ones, and the full verification. The
// timed region starts without a barrier, like the official one.
func (s *instance) Run() (npb.Result, error) {
	s.draw()
	s.expect()
	if err := s.rankKeys(1); err != nil {
		return npb.Result{}, err
	}
	s.passed = 0
	s.rank.Begin()
	for it := 1; it <= iterations; it++ {
		if err := s.rankKeys(it); err != nil {
			return npb.Result{}, err
		}
		if err := s.rank.Step(it, iterations); err != nil {
			return npb.Result{}, err
		}
	}
	seconds := s.rank.End()
	checks, err := s.fullVerify()
	return npb.Result{Seconds: seconds, Checks: checks, Text: text()}, err
}

// fullVerify does the full verification. It checks the number of partial verifications that passed
// on all ranks, that the fingerprints of the keys received last and of the keys drawn are equal,
// and that all keys arrived in every iteration.
func (s *instance) fullVerify() ([]npb.Check, error) {
	sorted, err := s.sorted()
	if err != nil {
		return nil, err
	}
	if sorted {
		s.passed++
	}
	sums := append([]uint64{s.passed, s.fingerprint()}, s.lost()...)
	if err := comm.Allreduce(s.rank.Comm, nil, sums, op.Sum[uint64]()); err != nil {
		return nil, err
	}
	passed, unlike := sums[0], math.Abs(float64(int64(sums[1])))
	return []npb.Check{
		npb.Relative("verifications", float64(passed), float64(s.size.passes()+s.rank.Comm.Size()), 0),
		{Name: "sum of all received keys minus the sum of all generated ones", Value: unlike, Error: unlike},
		arrived(sums[2:]),
	}, nil
}

// text returns the output of the official program during a run.
func text() string {
	var s strings.Builder
	s.WriteString("\n   iteration\n")
	for it := 1; it <= iterations; it++ {
		fmt.Fprintf(&s, "        %d\n", it)
	}
	return s.String()
}
