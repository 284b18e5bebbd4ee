package application

import (
	"os"

	"gobench/bench/record"
	"gobench/bench/stats"
)

// Baseline is the path of the file of records in which the runs on one rank are found that speedup
// and efficiency refer to.
type Baseline string

// scaling adds speedup and efficiency to a point: relative to independent serial copies if their
// rate is given (weak scaling), else to the last run of the same problem on one rank in the file of
// records.
func (b Baseline) scaling(p *record.Point, metric string, copies record.Value) {
	rate := p.Metrics[metric]
	if copies.Median > 0 {
		p.Metrics["efficiency"] = quotient(rate, copies, 1)
		p.Baseline = p.Run
		return
	}
	base, ok := b.find(p, metric)
	if p.Ranks == 1 || !ok {
		return
	}
	one := base.Metrics[metric]
	p.Metrics["speedup"] = quotient(rate, one, 1)
	p.Metrics["efficiency"] = quotient(rate, one, float64(p.Ranks))
	p.Baseline = base.Run
}

// quotient returns rate / (times base), with an interval if both have one.
func quotient(rate, base record.Value, times float64) record.Value {
	of := func(v record.Value) stats.Interval { return stats.Interval{Median: v.Median, Lo: v.Lo, Hi: v.Hi} }
	r := stats.Ratio(of(base), of(rate))
	v := record.Value{Median: r.Median / times, N: rate.N, EffectiveN: rate.EffectiveN}
	if r.Lo > 0 {
		v.Lo, v.Hi, v.Confidence = r.Lo/times, r.Hi/times, stats.Level
	}
	return v
}

// find returns the last stored run of the problem of p on one rank of this machine, over any
// transport, because a single rank uses none.
func (b Baseline) find(p *record.Point, metric string) (record.Point, bool) {
	if info, err := os.Stat(string(b)); err != nil || !info.Mode().IsRegular() {
		return record.Point{}, false // no file yet, or a pipe
	}
	file, err := record.ReadFile(string(b))
	if err != nil {
		return record.Point{}, false
	}
	here, _ := os.Hostname()
	elsewhere := map[string]bool{}
	for _, run := range file.Runs {
		elsewhere[run.ID] = run.Hostname() != "" && run.Hostname() != here
	}
	for i := len(file.Points) - 1; i >= 0; i-- {
		q := file.Points[i]
		same := q.Bench == p.Bench && q.Problem() == p.Problem() && q.Threads == p.Threads && q.Ranks == 1 && q.Copies == 0 &&
			q.Library == "" && q.SelfTest() == "" && !elsewhere[q.Run]
		if _, ok := q.Metrics[metric]; ok && same {
			return q, true
		}
	}
	return record.Point{}, false
}
