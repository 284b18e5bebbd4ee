package application

import (
	"fmt"
	"os"

	"gobench/internal/remedy"
	"gobench/record"
	"gobench/stats"
)

// Baseline is the path of a file of records with runs on one rank, to which speedup and efficiency
// refer.
type Baseline string

// scaling adds speedup and efficiency to a point. If serial is "" (strong scaling), they refer to
// the last run of the same problem on one rank in the file of records. Otherwise (weak scaling) the
// efficiency refers to independent copies of the problem serial, one for each core of the point.
// Their rate is copies or, if that is zero, the rate in the file.
func (b Baseline) scaling(p *record.Point, metric, serial string, copies record.Value) {
	rate := p.Metrics.Get(metric)
	if serial != "" {
		p.Baseline = p.Run
		if cores := p.Ranks * max(1, p.Threads); copies.Median == 0 {
			base, ok := b.find(p, metric, serial, 1, cores)
			if !ok {
				p.Warnings = append(p.Warnings, fmt.Sprintf("no efficiency: the file of records has no run of %d serial copies (%v %v %v)", cores, remedy.Set("np", cores), remedy.Set("threads", "1"), remedy.Named("weak")))
				return
			}
			copies, p.Baseline = base.Metrics.Get(metric), base.Run
		}
		p.Metrics.Set("efficiency", quotient(rate, copies, 1))
		return
	}
	base, ok := b.find(p, metric, p.Problem(), p.Threads, 0)
	if p.Ranks == 1 || !ok {
		return
	}
	one := base.Metrics.Get(metric)
	p.Metrics.Set("speedup", quotient(rate, one, 1))
	p.Metrics.Set("efficiency", quotient(rate, one, float64(p.Ranks)))
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

// find returns the last run of a problem of the application of p in the file, on one rank of this
// machine or with the given number of copies. The transport may differ, because a single rank uses
// none.
func (b Baseline) find(p *record.Point, metric, problem string, threads, copies int) (record.Point, bool) {
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
		same := q.Bench == p.Bench && q.Problem() == problem && q.Threads == threads && q.Ranks == 1 && q.Copies == copies &&
			q.Library == "" && q.SelfTest() == "" && !elsewhere[q.Run]
		if ok := q.Metrics.Has(metric); ok && same {
			return q, true
		}
	}
	return record.Point{}, false
}
