package pairs

import (
	"cmp"
	"math"
	"slices"
)

const (
	// falseDiscoveries bounds the expected share of suspects that belong to the others. A suspect is
	// not named before it is confirmed, so it is generous.
	falseDiscoveries = 0.1
	// suspicion is the part of the smallest named effect from which a host is a suspect.
	suspicion = 0.7
)

// A suspicion names hosts that deviate in the survey in some metrics: one host, or two whose pair
// deviates while they do not.
type suspect struct {
	hosts  []int
	worst  float64 // the largest effect over its scale
	failed bool    // it has no results with some partners
}

// suspects returns what deviates in the survey, the worst first, and which hosts deviate in nothing.
func (s *Study) suspects() (list []suspect, good []int) {
	fits, obs := s.fits()
	worst := make([]float64, len(s.hosts))
	bad := make([]bool, len(s.hosts))
	for k, f := range fits {
		if f == nil {
			continue
		}
		for _, effects := range [][]effect{f.out, f.in} {
			p := make([]float64, len(effects))
			for i, e := range effects {
				p[i] = f.p(e)
			}
			for i, found := range discoveries(p, falseDiscoveries) {
				if e := effects[i]; found && e.value >= suspicion*s.least(k) {
					bad[i] = true
					worst[i] = max(worst[i], e.value/s.least(k))
				}
			}
		}
	}
	failures, measured := s.failures()
	for i := range s.hosts {
		if failures[i] > 0 && 2*failures[i] >= failures[i]+measured[i] {
			bad[i], worst[i] = true, math.Inf(1)
		}
	}
	for i := range s.hosts {
		switch {
		case s.lost[i]:
		case bad[i]:
			list = append(list, suspect{hosts: []int{i}, worst: worst[i], failed: failures[i] > 0})
		case measured[i] > 0:
			good = append(good, i)
		}
	}
	list = append(list, s.suspectPairs(fits, obs, bad)...)
	slices.SortStableFunc(list, func(a, b suspect) int { return cmp.Compare(b.worst, a.worst) })
	return list, good
}

// failures returns the numbers of matches of each host in the survey without and with a result.
func (s *Study) failures() (failed, measured []int) {
	failed, measured = make([]int, len(s.hosts)), make([]int, len(s.hosts))
	for _, r := range s.seen {
		if r.Stage != Survey {
			continue
		}
		to := measured
		if r.Failed != "" {
			to = failed
		}
		for _, name := range []string{r.A, r.B} {
			if r.Failed == "" || r.Culprit == "" || r.Culprit == name {
				to[s.numbers[name]]++
			}
		}
	}
	return failed, measured
}

// suspectPairs returns pairs that deviate though their hosts do not, or have no result.
func (s *Study) suspectPairs(fits []*fit, obs [][]observation, bad []bool) (list []suspect) {
	type pair struct{ a, b int }
	worst := map[pair]float64{}
	for k, f := range fits {
		if f == nil || f.sigma == 0 {
			continue
		}
		sum, count := map[pair]float64{}, map[pair]int{}
		var pairs []pair
		for n, o := range obs[k] {
			p := pair{o.from, o.to}
			if metrics[k].symmetric {
				p = pair{min(o.from, o.to), max(o.from, o.to)}
			}
			if count[p] == 0 {
				pairs = append(pairs, p)
			}
			sum[p] += f.rest[n]
			count[p]++
		}
		values := make([]float64, len(pairs))
		for i, p := range pairs {
			mean := sum[p] / float64(count[p])
			values[i] = math.Erfc(mean*math.Sqrt(float64(count[p]))/f.sigma/math.Sqrt2) / 2
		}
		for i, found := range discoveries(values, falseDiscoveries) {
			p := pairs[i]
			if mean := sum[p] / float64(count[p]); found && mean >= s.least(k) && !bad[p.a] && !bad[p.b] {
				p = pair{min(p.a, p.b), max(p.a, p.b)}
				worst[p] = max(worst[p], mean/s.least(k))
			}
		}
	}
	failed := map[pair]bool{}
	for _, r := range s.seen {
		a, b := s.numbers[r.A], s.numbers[r.B]
		if r.Stage == Survey && r.Failed != "" && !bad[a] && !bad[b] {
			p := pair{min(a, b), max(a, b)}
			worst[p], failed[p] = math.Inf(1), true
		}
	}
	for p, w := range worst {
		list = append(list, suspect{hosts: []int{p.a, p.b}, worst: w, failed: failed[p]})
	}
	// The order of a map is random, and the plan depends on the seed alone.
	slices.SortFunc(list, func(x, y suspect) int { return slices.Compare(x.hosts, y.hosts) })
	return slices.DeleteFunc(list, func(x suspect) bool { return s.lost[x.hosts[0]] || s.lost[x.hosts[1]] })
}
