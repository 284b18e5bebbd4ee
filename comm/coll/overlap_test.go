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
// because somebody moves it on. (Patarasuk and Yuan 2009.)
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

// BenchmarkOverlap is how much of an Iallreduce of 1 MiB is hidden behind computation that takes
// as long, as IMB-NBC reckons. Ranks are goroutines with processors to Go's mind in
// plenty, as processes have them.
func BenchmarkOverlap(b *testing.B) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(32))
	for _, wire := range []string{"smem", "tcp"} {
		for _, ranks := range []int{2, 4} {
			for _, progress := range []Progress{ProgressCalls, ProgressThread} {
				b.Run(fmt.Sprintf("%s/%d/%v", wire, ranks, progress), func(b *testing.B) { overlap(b, wire, ranks, progress) })
			}
		}
	}
}

func overlap(b *testing.B, wire string, ranks int, progress Progress) {
	o := Options{Progress: progress}
	collective(b, driver(b, wire), ranks, o, func(r *Runner) {
		r.Force(schedule.Allreduce, ring())
		c := call(r, schedule.Allreduce, 128<<10)
		barrier := call(r, schedule.Barrier, 0)
		timed := func(loops int) time.Duration {
			r.Do(barrier)
			from := time.Now()
			h, err := r.Start(c)
			if err != nil {
				b.Error(err)
			}
			if loops > 0 {
				sink[r.rank] += compute(loops)
			}
			if err := r.Wait(h); err != nil {
				b.Error(err)
			}
			return time.Since(from)
		}
		const samples = 40
		var pure, work, both []time.Duration
		for range samples {
			pure = append(pure, timed(0))
		}
		from := time.Now()
		sink[r.rank] += compute(1 << 20)
		loops := int(float64(median(pure)) / float64(time.Since(from)) * (1 << 20))
		pure = pure[:0]
		for range samples {
			pure = append(pure, timed(0))
			r.Do(barrier)
			from := time.Now()
			sink[r.rank] += compute(loops)
			work = append(work, time.Since(from))
			both = append(both, timed(loops))
		}
		if r.rank == 0 {
			p, w, t := median(pure), median(work), median(both)
			b.ReportMetric(float64(p.Nanoseconds())/1e3, "us-pure")
			b.ReportMetric(float64(w.Nanoseconds())/1e3, "us-work")
			b.ReportMetric(float64(t.Nanoseconds())/1e3, "us-both")
			b.ReportMetric(100*max(0, min(1, float64(p+w-t)/float64(min(p, w)))), "%overlap")
			b.ReportMetric(0, "ns/op")
		}
	})
}
