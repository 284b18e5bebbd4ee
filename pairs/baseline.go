package pairs

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gobench/stats"
)

// A Change is a difference between two studies of the same hosts.
type Change struct {
	Host   string `json:"host,omitempty"` // "" = the cluster as a whole
	Factor Factor `json:"factor"`
}

// minCommon is the number of pairs, or of values of a host, from which a change has an interval.
const minCommon = 6

// CompareBaseline returns what is slower by Options.MinFactor, 0 = usualFactor, or more, than in
// the samples of an earlier study: the cluster, by the medians of the pairs that both have measured
// in their surveys, and hosts, beyond the cluster. Intervals are of medians. Where other programs
// take part of the cores (Options.Contended) the factor is minContended or more, and the cluster is
// compared by its fastest messages alone: all bandwidths are lower then.
func (s *Study) CompareBaseline(before []Sample) (changes []Change) {
	factor := cmp.Or(s.o.MinFactor, usualFactor)
	if s.o.Contended {
		factor = max(factor, minContended)
	}
	now := s.Samples()
	for k, m := range s.metrics {
		exceeds := func(e estimate) bool { return e.value >= math.Log(factor) && e.lo > s.certainly(k) }
		if k == lossMetric || k == jitterMetric {
			continue
		}
		old, new := byPair(before, m), byPair(now, m)
		var all []float64
		of := map[string][]float64{}
		for pair, y := range new {
			base, ok := old[pair]
			if !ok {
				continue
			}
			d := y - base
			all = append(all, d)
			of[pair[0]] = append(of[pair[0]], d)
			of[pair[1]] = append(of[pair[1]], d)
		}
		whole, ok := median(all)
		if !ok {
			continue
		}
		if exceeds(whole) && (!s.o.Contended || k == delayMetric) {
			changes = append(changes, Change{"", whole.factor(m.name)})
		}
		for _, host := range sortedKeys(of) {
			own := of[host]
			for i := range own {
				own[i] -= whole.value
			}
			if e, ok := median(own); ok && exceeds(e) {
				changes = append(changes, Change{host, e.factor(m.name)})
			}
		}
	}
	return changes
}

func (e estimate) factor(of string) Factor {
	return Factor{of, math.Exp(e.value), math.Exp(e.lo), math.Exp(e.hi), e.n}
}

// byPair returns the medians of a metric by the names of the pair; those of a directed metric are
// by sender and receiver.
func byPair(samples []Sample, m metric) map[[2]string]float64 {
	values := map[[2]string][]float64{}
	for _, s := range samples {
		forth, back, ok := m.of(s)
		if s.Stage != Survey || s.Failed != "" || !ok {
			continue
		}
		if m.symmetric {
			pair := [2]string{min(s.A, s.B), max(s.A, s.B)}
			values[pair] = append(values[pair], forth)
			continue
		}
		values[[2]string{s.A, s.B}] = append(values[[2]string{s.A, s.B}], forth)
		values[[2]string{s.B, s.A}] = append(values[[2]string{s.B, s.A}], back)
	}
	medians := map[[2]string]float64{}
	for pair, list := range values {
		medians[pair] = stats.Median(list)
	}
	return medians
}

// median returns the median of values with its interval, false if there are too few.
func median(values []float64) (estimate, bool) {
	lo, hi, level := stats.MedianRanks(len(values), stats.Level)
	if level == 0 || len(values) < minCommon {
		return estimate{}, false
	}
	sorted := slices.Sorted(slices.Values(values))
	return estimate{value: stats.Quantile(sorted, 0.5), lo: sorted[lo-1], hi: sorted[hi-1], n: len(sorted)}, true
}

// String returns a sentence about the change.
func (c Change) String() string {
	if c.Host == "" {
		return fmt.Sprintf("all hosts are slower than in the baseline: %s %s", c.Factor.Of, c.Factor)
	}
	return fmt.Sprintf("%s is slower than in the baseline, beyond all hosts: %s %s", c.Host, c.Factor.Of, c.Factor)
}
