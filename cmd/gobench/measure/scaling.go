package measure

import (
	"os"

	"gobench/bench/record"
	"gobench/bench/stats"
)

// scaling adds speedup and efficiency to a point: against independent serial copies
// where their rate is given (weak scaling), else against the last run of the same
// problem on one rank that is in the file of records.
func (r *Request) scaling(p *record.Point, metric string, copies record.Value) {
	rate := p.Metrics[metric]
	if copies.Median > 0 {
		p.Metrics["efficiency"] = over(rate, copies, 1)
		p.Baseline = p.Run
		return
	}
	base, ok := r.baseline(p, metric)
	if p.Ranks == 1 || !ok {
		return
	}
	one := base.Metrics[metric]
	p.Metrics["speedup"] = over(rate, one, 1)
	p.Metrics["efficiency"] = over(rate, one, float64(p.Ranks))
	p.Baseline = base.Run
}

// over divides a rate by so many times that of the baseline. The interval is that of
// both; there is none where one of them has none.
func over(rate, base record.Value, times float64) record.Value {
	of := func(v record.Value) stats.Interval { return stats.Interval{Median: v.Median, Lo: v.Lo, Hi: v.Hi} }
	r := stats.Ratio(of(base), of(rate))
	v := record.Value{Median: r.Median / times, N: rate.N, EffectiveN: rate.EffectiveN}
	if r.Lo > 0 {
		v.Lo, v.Hi, v.Confidence = r.Lo/times, r.Hi/times, stats.Level
	}
	return v
}

// baseline finds the last stored run on one rank of the problem of p on this machine,
// over any transport, because a single rank uses none.
func (r *Request) baseline(p *record.Point, metric string) (record.Point, bool) {
	if info, err := os.Stat(r.file()); err != nil || !info.Mode().IsRegular() {
		return record.Point{}, false // nothing is stored yet, or it is a pipe
	}
	file, err := record.ReadFile(r.file())
	if err != nil {
		return record.Point{}, false
	}
	here, _ := os.Hostname()
	elsewhere := map[string]bool{}
	for _, run := range file.Runs {
		elsewhere[run.ID] = run.Hostname() != "" && run.Hostname() != here
	}
	for i := len(file.Points) - 1; i >= 0; i-- {
		b := file.Points[i]
		same := b.Bench == p.Bench && b.Problem() == p.Problem() && b.Threads == p.Threads && b.Ranks == 1 && b.Copies == 0 &&
			b.Library == "" && b.SelfTest() == "" && !elsewhere[b.Run]
		if _, ok := b.Metrics[metric]; ok && same {
			return b, true
		}
	}
	return record.Point{}, false
}
