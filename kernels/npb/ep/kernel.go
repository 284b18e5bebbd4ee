// Package ep is the kernel EP of the NAS Parallel Benchmarks: pairs of Gaussian deviates from
// uniform numbers, counted by their distance (NASA RNR-94-007, section 2.2.1). It is embarrassingly
// parallel: ranks communicate only at the end. Its bottleneck is the logarithm.
package ep

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

// Kernel describes EP.
func Kernel() *npb.Kernel {
	return &npb.Kernel{
		Name:    "ep",
		Last:    npb.E,
		About:   "Gaussian deviates: arithmetic alone, three sums at the end",
		Problem: problem,
		Legal: func(class npb.Class, ranks int) error {
			s := sizeOf(class)
			if err := npb.Binary("ep", class, s.m >= batchPairs); err != nil {
				return err
			}
			if batches := s.batches(); ranks < 1 || ranks > batches {
				return &npb.RanksError{Kernel: "ep", Class: class, Ranks: ranks, Legal: fmt.Sprintf("1 to %d", batches), Near: []int{max(1, min(ranks, batches))}}
			}
			return nil
		},
		Memory: func(_ npb.Class, ranks, threads int) int64 { return int64(ranks*threads) * 2 * 8 * chunk },
		New:    newInstance,
	}
}

// size holds the parameters of a class: 2^m pairs, their sums, and the number of accepted ones.
type size struct {
	m     int
	x, y  float64
	count float64
}

// classes holds the parameters of the official classes.
var classes = map[npb.Class]size{
	npb.S: {24, -3.247834652034740e3, -6.958407078382297e3, 13176389},
	npb.W: {25, -2.863319731645753e3, -6.320053679109499e3, 26354769},
	npb.A: {28, -4.295875165629892e3, -1.580732573678431e4, 210832767},
	npb.B: {30, 4.033815542441498e4, -2.660669192809235e4, 843345606},
	npb.C: {32, 4.764367927995374e4, -8.084072988043731e4, 3373275903},
	npb.D: {36, 1.982481200946593e5, -1.020596636361769e5, 53972171957},
	npb.E: {40, -5.319717441530e5, -3.688834557731e5, 863554308186},
}

const (
	batchPairs = 16        // log2 of the pairs of a batch, the unit of distribution
	seed       = 271828183 // of EP alone
	epsilon    = 1e-8      // of the sums; the counts must be exact
	chunk      = 1 << 10   // pairs generated at a time, which stay in the L1 cache
)

// sizeOf returns the parameters of a class. A multiple of a class has that multiple of the pairs.
func sizeOf(class npb.Class) size {
	s := classes[class.Letter()]
	if n, _ := class.Doublings(); !class.Official() {
		s = size{m: s.m + n, x: npb.Unknown(), y: npb.Unknown(), count: npb.Unknown()}
	}
	return s
}

func (s size) batches() int { return 1 << (s.m - batchPairs) }

func problem(class npb.Class) npb.Problem {
	s := sizeOf(class)
	numbers := int64(1) << (s.m + 1)
	return npb.Problem{
		Size:       fmt.Sprint(numbers),
		Header:     fmt.Sprintf(" Number of random numbers generated: %15d  (class %v)\n Total number of processes:            %%13d\n", numbers, class),
		Operations: float64(numbers) / 1e6,
		Kind:       "Random numbers generated",
	}
}

// instance is EP on one rank.
type instance struct {
	rank    *application.Rank
	class   npb.Class
	size    size
	first   int // batch
	batches int
	polar   simd.Polar
	threads []worker
	work    func(thread int)
	failure error // of Step, which thread 0 calls

	sums   [2]float64
	counts [10]float64
}

// worker holds the buffers and sums of a thread.
type worker struct {
	x, y []float64
	sums simd.PolarSums
	_    [64]byte
}

func newInstance(r *application.Rank, class npb.Class) (npb.Instance, error) {
	e := &instance{rank: r, class: class, size: sizeOf(class), polar: simd.Best().Polar}
	lo, hi := application.Part(e.size.batches(), r.Comm.Rank(), r.Comm.Size())
	e.first, e.batches = lo, hi-lo
	e.threads = make([]worker, r.Team.Threads())
	for i := range e.threads {
		e.threads[i].x, e.threads[i].y = make([]float64, chunk), make([]float64, chunk)
	}
	e.work = e.part
	return e, nil
}

// Run implements npb.Instance. The official warm-up only touches the buffers, which the setup has
// done.
func (e *instance) Run() (npb.Result, error) {
	if err := e.rank.Ready(e.rank.Comm); err != nil {
		return npb.Result{}, err
	}
	e.rank.Team.Run(e.work)
	if e.failure != nil {
		return npb.Result{}, e.failure
	}
	if err := e.total(); err != nil {
		return npb.Result{}, err
	}
	seconds := e.rank.End()
	var accepted float64
	for _, n := range e.counts {
		accepted += n
	}
	checks := []npb.Check{
		npb.Relative("sum of X", e.sums[0], e.size.x, epsilon),
		npb.Relative("sum of Y", e.sums[1], e.size.y, epsilon),
		npb.Relative("pairs", accepted, e.size.count, 0),
	}
	return npb.Result{Seconds: seconds, Checks: checks, Text: e.text(seconds, accepted)}, nil
}

// part does the batches of a thread.
func (e *instance) part(thread int) {
	w := &e.threads[thread]
	w.sums = simd.PolarSums{}
	lo, hi := application.Part(e.batches, thread, len(e.threads))
	for b := lo; b < hi; b++ {
		stream := random.At(seed, uint64(e.first+b)<<(batchPairs+1))
		for range 1 << batchPairs / chunk {
			stream.FillPairs(w.x, w.y)
			e.polar(w.x, w.y, &w.sums)
		}
		if thread == 0 {
			if e.failure = e.rank.StepAlone(b+1-lo, hi-lo); e.failure != nil {
				return
			}
		}
	}
}

// total adds up the sums and counts of all threads and ranks, in the three
// operations of the official program.
func (e *instance) total() error {
	e.sums, e.counts = [2]float64{}, [10]float64{}
	for i := range e.threads {
		s := &e.threads[i].sums
		for lane := range simd.PolarLanes {
			e.sums[0] += s.X[lane]
			e.sums[1] += s.Y[lane]
		}
		for k, n := range s.Counts {
			e.counts[k] += float64(n)
		}
	}
	e.rank.Timers.Begin(application.Allreduce)
	for _, values := range [][]float64{e.sums[:1], e.sums[1:], e.counts[:]} {
		e.rank.Profile.Collective(8 * len(values))
		if err := comm.Allreduce(e.rank.Comm, nil, values, op.Sum[float64]()); err != nil {
			return err
		}
	}
	return nil
}

// text formats the results of a run in the layout of the official program.
func (e *instance) text(seconds, accepted float64) string {
	var s strings.Builder
	fmt.Fprintf(&s, "EP Benchmark Results:\n\nCPU Time =%10.4f\nN = 2^%5d\nNo. Gaussian Pairs =%14.0f.\n", seconds, e.size.m, accepted)
	fmt.Fprintf(&s, "Sums = %s%s\nCounts:\n", npb.FormatPD(e.sums[0], 25, 15), npb.FormatPD(e.sums[1], 25, 15))
	for k, n := range e.counts {
		fmt.Fprintf(&s, "%3d%14.0f.\n", k, math.Round(n))
	}
	return s.String()
}
