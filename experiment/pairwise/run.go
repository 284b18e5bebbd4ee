package pairwise

import (
	"context"

	"gobench/pairs"
)

// Run measures what a study plans, until it is complete or ctx ends. known holds the results of an
// interrupted run of the same study, in order. each is called after each batch with its results.
func (w *Workers) Run(ctx context.Context, hosts []pairs.Host, study *pairs.Study, known []pairs.Sample, each func([]pairs.Sample)) error {
	for ctx.Err() == nil {
		for name := range w.Lost() {
			study.Drop(name)
		}
		batch := study.Next()
		if batch == nil {
			return nil
		}
		if results, ok := replay(hosts, batch, &known); ok {
			study.Add(results)
			continue
		}
		results := w.Batch(ctx, hosts, batch)
		if ctx.Err() != nil {
			return context.Cause(ctx) // what it ended is not a fault of the hosts
		}
		study.Add(results)
		each(results)
	}
	return context.Cause(ctx)
}

// replay takes the results of a batch from those of an earlier run, if they are next.
func replay(hosts []pairs.Host, batch []pairs.Match, known *[]pairs.Sample) ([]pairs.Sample, bool) {
	if len(*known) < len(batch) {
		*known = nil
		return nil, false
	}
	for i, m := range batch {
		if r := (*known)[i]; r.A != hosts[m.A].Name || r.B != hosts[m.B].Name || r.Round != m.Round || r.Stage != m.Stage {
			*known = nil
			return nil, false
		}
	}
	results := (*known)[:len(batch)]
	*known = (*known)[len(batch):]
	return results, true
}
