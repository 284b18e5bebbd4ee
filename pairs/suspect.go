package pairs

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"gobench/internal/collect"
)

const (
	// falseDiscoveries bounds the expected share of suspects that belong to the others. A suspect
	// is not named before it is confirmed, so it is generous.
	falseDiscoveries = 0.1
	// falsePairs is the same for pairs, which are many.
	falsePairs = 0.01
	// suspicion is the part of the smallest named effect from which a host is a suspect.
	suspicion = 0.7
	// tail is the quantile of residuals that bounds the scale of a pair, because their noise has
	// heavier tails than a normal distribution, of which normalTail is the same quantile.
	tail, normalTail = 0.95, 1.96
	// tiny is the scale of residuals that are all the same, as those of losses where there are
	// none.
	tiny = 1e-9
	// minPairFactor is the factor from which a pair is named whose hosts are good. There are many
	// more pairs than hosts, and few measurements of each, so the noise of some is large.
	minPairFactor = 1.5
)

// A suspicion names hosts that deviate in the survey in some metrics: one host, or two whose pair
// deviates while they do not.
type suspect struct {
	hosts    []int
	location string  // of a group of hosts, which deviates with other groups; "" for hosts
	distance int     // of a group from the others of its level
	worst    float64 // the largest effect over its scale
	failed   bool    // it has no results with some partners
	kind     Kind    // of the largest effect
}

// suspects returns what deviates in the survey, the worst first, and which hosts deviate in
// nothing.
func (s *Study) suspects() (list []suspect, good []int) {
	fits, obs := s.fits()
	worst, kinds := make([]float64, len(s.hosts)), make([]Kind, len(s.hosts))
	bad := make([]bool, len(s.hosts))
	for k, f := range fits {
		if f == nil {
			continue
		}
		s.deviating(k, f, func(i int, by float64) {
			if bad[i] = true; by > worst[i] {
				worst[i], kinds[i] = by, s.metrics[k].kind
			}
		})
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
			list = append(list, suspect{hosts: []int{i}, worst: worst[i], failed: failures[i] > 0, kind: kinds[i]})
		case measured[i] > 0:
			good = append(good, i)
		}
	}
	list = append(list, s.suspectPairs(fits, obs, bad)...)
	for _, x := range s.fitted.groups {
		x.hosts = slices.DeleteFunc(slices.Clone(x.hosts), func(i int) bool { return s.lost[i] })
		if len(x.hosts) > 1 {
			list = append(list, x)
		}
	}
	slices.SortStableFunc(list, func(a, b suspect) int { return cmp.Compare(b.worst, a.worst) })
	return list, good
}

// deviating calls found for each host or group that deviates in the fit of a metric, with its
// effect over the smallest one that is named.
func (s *Study) deviating(k int, f *fit, found func(i int, by float64)) {
	for _, effects := range [][]effect{f.out, f.in} {
		for i, is := range discoveries(collect.Each(effects, f.p), falseDiscoveries) {
			if by := effects[i].value / s.threshold(k); is && by >= suspicion {
				found(i, by)
			}
		}
	}
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
	worst, kinds := map[pair]float64{}, map[pair]Kind{}
	for k, f := range fits {
		if f == nil || !ofPairs(k) {
			continue
		}
		sum, count := map[pair]float64{}, map[pair]int{}
		var pairs []pair
		for n, o := range obs[k] {
			p := pair{o.from, o.to}
			if s.metrics[k].symmetric {
				p = pair{min(o.from, o.to), max(o.from, o.to)}
			}
			if count[p] == 0 {
				pairs = append(pairs, p)
			}
			sum[p] += f.rest[n]
			count[p]++
		}
		away := collect.Each(f.rest, math.Abs)
		slices.Sort(away)
		values := make([]float64, len(pairs))
		for i, p := range pairs {
			n := count[p]
			mean := sum[p] / float64(n)
			// Of the other pairs: the residuals of this one may be the largest.
			sigma := max(f.sigma, away[int(tail*float64(len(away)-n))]/normalTail, tiny)
			values[i] = math.Erfc(mean*math.Sqrt(float64(n))/sigma/math.Sqrt2) / 2
		}
		for i, found := range discoveries(values, falsePairs) {
			p := pairs[i]
			limit := max(s.threshold(k), math.Log(minPairFactor))
			if mean := sum[p] / float64(count[p]); found && mean >= limit && !bad[p.a] && !bad[p.b] {
				p = pair{min(p.a, p.b), max(p.a, p.b)}
				if w := mean / limit; w > worst[p] {
					worst[p], kinds[p] = w, s.metrics[k].kind
				}
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
		list = append(list, suspect{hosts: []int{p.a, p.b}, worst: w, failed: failed[p], kind: kinds[p]})
	}
	// The order of a map is random, and the plan depends on the seed alone.
	slices.SortFunc(list, func(x, y suspect) int { return slices.Compare(x.hosts, y.hosts) })
	return slices.DeleteFunc(list, func(x suspect) bool { return s.lost[x.hosts[0]] || s.lost[x.hosts[1]] })
}

// suspectGroups returns the groups of a level of places, with three groups or more, that deviate in
// measurements with other groups.
func (s *Study) suspectGroups(obs [][]observation) (list []suspect) {
	if len(s.hosts) == 0 {
		return nil
	}
	levels := len(s.hosts[0].Location)
	for level := range levels {
		name := func(i int) string { return strings.Join(s.hosts[i].Location[:level+1], ".") }
		members := collect.By(collect.Range(len(s.hosts)), name)
		of := make([]int, len(s.hosts))
		for n, list := range members {
			for _, i := range list {
				of[i] = n
			}
		}
		if len(members) < 3 || len(members) == len(s.hosts) {
			continue
		}
		worst, kinds := make([]float64, len(members)), make([]Kind, len(members))
		for k, m := range s.metrics {
			var between []observation
			for _, o := range obs[k] {
				if o.class == levels-level {
					between = append(between, observation{of[o.from], of[o.to], 0, o.y, o.sample})
				}
			}
			if len(between) == 0 {
				continue
			}
			f := fitEffects(len(members), 1, between, m.symmetric)
			s.deviating(k, &f, func(i int, by float64) {
				if by > worst[i] {
					worst[i], kinds[i] = by, m.kind
				}
			})
		}
		for n, hosts := range members {
			if worst[n] > 0 {
				list = append(list, suspect{hosts: hosts, location: name(hosts[0]), distance: levels - level, worst: worst[n], kind: kinds[n]})
			}
		}
	}
	slices.SortFunc(list, func(a, b suspect) int { return cmp.Compare(a.location, b.location) })
	return list
}
