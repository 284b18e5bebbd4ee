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
