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
	if err := comm.Barrier(e.rank.Comm); err != nil {
		return npb.Result{}, err
	}
	e.rank.Begin()
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
