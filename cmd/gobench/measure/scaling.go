package measure

import (
	"gobench/bench/record"
)

// scaling adds speedup and efficiency to a point: against independent serial copies
// where their rate is given (weak scaling), else against the last run of the same
// problem on one rank that is in the file of records.
func (r *Request) scaling(p *record.Point, metric string, copies float64) {
	rate := p.Metrics[metric]
	if copies > 0 {
		p.Metrics["efficiency"] = over(rate, copies)
		p.Baseline = p.Run
		return
	}
	base, ok := r.baseline(p, metric)
	if p.Ranks == 1 || !ok {
		return
	}
	one := base.Metrics[metric].Median
	p.Metrics["speedup"] = over(rate, one)
	p.Metrics["efficiency"] = over(rate, one*float64(p.Ranks))
	p.Baseline = base.Run
}

// over divides a rate by that of the baseline, whose own spread does not count.
func over(v record.Value, base float64) record.Value {
	v.Median, v.Lo, v.Hi = v.Median/base, v.Lo/base, v.Hi/base
	return v
}

// baseline finds the last stored run on one rank of the problem of p, over any
// transport, because a single rank uses none.
func (r *Request) baseline(p *record.Point, metric string) (record.Point, bool) {
	file, err := record.ReadFile(r.file())
	if err != nil {
		return record.Point{}, false // nothing is stored yet, or it is no file
	}
	for i := len(file.Points) - 1; i >= 0; i-- {
		b := file.Points[i]
		same := b.Bench == p.Bench && b.Class == p.Class && b.Threads == p.Threads && b.Ranks == 1 && b.Copies == 0
		if _, ok := b.Metrics[metric]; ok && same {
			return b, true
		}
	}
	return record.Point{}, false
}
