package coll

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"gobench/comm/schedule"
)

// ring is an allreduce whose every step needs the one before: what overlaps does so
// because it progresses meanwhile. (Patarasuk and Yuan 2009.)
func ring() *Choice {
	return &Choice{Algorithm: &Algorithm{Name: "ring", Kind: schedule.Allreduce, Build: func(b *schedule.Builder, _ int) {
		b.Copy(b.RecvBuf(), b.SendBuf())
		next, before := (b.Rank+1)%b.Ranks, (b.Rank+b.Ranks-1)%b.Ranks
		elements := b.Bytes / b.Elem
		part := func(i int) schedule.Mem {
			i = (i%b.Ranks + b.Ranks) % b.Ranks
			from, to := i*elements/b.Ranks*b.Elem, (i+1)*elements/b.Ranks*b.Elem
			return b.RecvBuf().At(from, to-from)
		}
		in := b.Scratch(b.Bytes/b.Ranks + 2*b.Elem)
		for step := range b.Ranks - 1 {
			to := part(b.Rank - step - 1)
			b.Exchange(part(b.Rank-step), next, in.At(0, to.Len), before)
			b.Combine(to, in.At(0, to.Len), to)
		}
		for step := range b.Ranks - 1 {
			b.Exchange(part(b.Rank+1-step), next, part(b.Rank-step), before)
		}
	}}}
}

func median(list []time.Duration) time.Duration {
	slices.Sort(list)
	return list[len(list)/2]
}

// compute keeps the processor busy for about as long as asked.
func compute(loops int) (sum float64) {
	for i := range loops {
		sum += 1 / float64(i+1)
	}
	return sum
}

var sink [64]float64

// BenchmarkOverlap measures how much of an Iallreduce is hidden behind computation that takes
// slightly longer, with a progress thread and without, alternately: the time left in Wait, and
// the slowdown of the computation. GOMAXPROCS is high enough for all ranks and their threads, as if
// ranks were processes.
func BenchmarkOverlap(b *testing.B) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(32))
	for _, wire := range []string{"smem", "tcp"} {
		for _, ranks := range []int{2, 4} {
			for _, count := range []int{1, 128 << 10} {
				b.Run(fmt.Sprintf("%s/ranks=%d/bytes=%d", wire, ranks, 8*count), func(b *testing.B) { overlap(b, wire, ranks, count) })
			}
		}
	}
}

// contender is one way to make progress.
type contender struct {
	r    *Runner
	c    *schedule.Call
	pure []time.Duration // start, and wait without computation
	wait []time.Duration // after computation
	all  []time.Duration // start, computation, wait
}

func overlap(b *testing.B, wire string, ranks, count int) {
	collectiveThat(b, driver(b, wire), ranks, "auto", Options{}, func(r *Runner) {
		barrier := call(r, schedule.Barrier, 0)
		both := map[Progress]*contender{}
		for i, p := range []Progress{ProgressCalls, ProgressThread} {
			o := Options{Progress: p}
			o.Force[schedule.Allreduce] = ring()
			x := NewRunner(r.dev, testContext+1+int32(i), nil, r.rank, ranks, o)
			defer x.Close()
			both[p] = &contender{r: x, c: call(r, schedule.Allreduce, count)}
		}
		var loops int
		var alone []time.Duration
		for sample := range 60 {
			for _, p := range []Progress{ProgressCalls, ProgressThread} {
				x := both[p]
				r.Do(barrier)
				from := time.Now()
				h, _ := x.r.Start(x.c)
				x.r.Wait(h)
				x.pure = append(x.pure, time.Since(from))
			}
			if sample < 20 {
				from := time.Now()
				sink[r.rank] += compute(1 << 18)
				took := time.Since(from)
				loops = max(loops, int(1.5*float64(median(both[ProgressCalls].pure))/float64(took)*(1<<18)))
				continue
			}
			r.Do(barrier)
			from := time.Now()
			sink[r.rank] += compute(loops)
			alone = append(alone, time.Since(from))
			for _, p := range []Progress{ProgressCalls, ProgressThread} {
				x := both[p]
				r.Do(barrier)
				from := time.Now()
				h, _ := x.r.Start(x.c)
				sink[r.rank] += compute(loops)
				ready := time.Now()
				x.r.Wait(h)
				x.wait = append(x.wait, time.Since(ready))
				x.all = append(x.all, time.Since(from))
			}
		}
		if r.rank != 0 {
			return
		}
		us := func(list []time.Duration) float64 { return float64(median(list).Nanoseconds()) / 1e3 }
		b.ReportMetric(us(alone), "us-work")
		for p, x := range both {
			b.ReportMetric(us(x.pure), "us-pure-"+p.String())
			b.ReportMetric(us(x.wait), "us-wait-"+p.String())
			b.ReportMetric(us(x.all), "us-all-"+p.String())
		}
		b.ReportMetric(0, "ns/op")
	})
}
