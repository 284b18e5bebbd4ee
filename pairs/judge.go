package pairs

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gobench/internal/collect"
)

// confirmed holds the estimates of a suspect that exceed what is named.
type confirmed struct {
	k     int
	side  direction
	e     estimate
	stage Stage
}

// minCertain is the factor above which the interval of a named effect lies.
const minCertain = 1.02

// named bounds the expected share of named effects that do not exist.
const named = 0.05

// judge returns, by trial, the estimates that are large enough, and certain among all estimates of
// the study: their false discovery rate is at most named.
func (s *Study) judge(fits []*fit) map[*trial][]confirmed {
	var trials []*trial
	var tests []confirmed
	var p []float64
	for _, t := range s.trials {
		for k, m := range s.metrics {
			if fits[k] == nil || len(t.references) == 0 || t.scope() == OfPair && !ofPairs(k) {
				continue
			}
			for _, side := range []direction{out, in} {
				if m.symmetric && side == in {
					break
				}
				if e, ok := trimmed(s.differences(t, k, side, fits[k])); ok || t.over {
					if !ok {
						e.p = 1 // it counts among the hypotheses
					}
					trials, tests, p = append(trials, t), append(tests, confirmed{k, side, e, t.stage}), append(p, e.p)
				}
			}
		}
	}
	found := map[*trial][]confirmed{}
	for i, rejected := range discoveries(p, named) {
		t, c := trials[i], tests[i]
		if rejected && c.e.lo > s.certainly(c.k) && c.e.value >= s.thresholdOf(t, c.k) && (c.e.p < certain || !s.goesOn(t)) {
			found[t] = append(found[t], c)
		}
	}
	return found
}

// goesOn reports whether repetitions of a trial are still to be measured. Until then only what is
// beyond doubt is named: of many looks at a growing sample, one exceeds any other limit by chance.
func (s *Study) goesOn(t *trial) bool {
	return !t.over && s.phase != ended && slices.ContainsFunc(t.got, func(r repetition) bool { return r.targets[0].A == "" }) && !s.lost[t.targets[0][0]] && !s.lost[t.targets[0][1]]
}

// certainly returns the effect of a metric above which the whole interval must be.
func (s *Study) certainly(k int) float64 {
	if s.o.Contended && k != lossMetric {
		return math.Log(minContended)
	}
	return math.Log(minCertain)
}

// thresholdOf returns the smallest effect of a suspect that is named.
func (s *Study) thresholdOf(t *trial, k int) float64 {
	if t.scope() == OfPair {
		return max(s.threshold(k), math.Log(minPairFactor))
	}
	return s.threshold(k)
}

// scope returns what a suspect is.
func (x suspect) scope() Scope {
	switch {
	case x.location != "":
		return OfGroup
	case len(x.hosts) == 2:
		return OfPair
	}
	return OfHost
}

// hostFindings returns a finding for each suspect that was tried, and for those that were not yet.
func (s *Study) hostFindings() []Finding {
	fits, obs := s.fits()
	effects := s.judge(fits)
	var list []Finding
	tried := map[string]bool{}
	for i := range s.trials {
		t := s.trials[i]
		if len(t.references) == 0 {
			continue // of hosts among each other
		}
		key := fmt.Sprint(t.location, t.hosts)
		if tried[key] {
			continue
		}
		tried[key] = true
		f := s.unconfirmed(t.suspect)
		for _, stage := range []Stage{Alone, Loaded} {
			for _, u := range s.trials[i:] {
				if u.stage == stage && len(u.references) > 0 && u.location == t.location && slices.Equal(u.hosts, t.hosts) && f.Status == Unconfirmed {
					s.conclude(&f, u, effects[u])
				}
			}
		}
		if f.Status == Unconfirmed && t.failed {
			s.blame(&f)
		}
		s.count(&f, fits, obs)
		s.describe(&f)
		list = append(list, f)
	}
	suspects, _ := s.suspects()
	for _, x := range suspects {
		if s.phase == inSurvey && !x.failed && s.fewest(x.hosts) < clearAfter {
			continue // live, it is too early
		}
		if tried[fmt.Sprint(x.location, x.hosts)] {
			continue // others wait for their trial, or have no partners for one
		}
		f := s.unconfirmed(x)
		if x.failed {
			s.blame(&f)
		}
		list = append(list, f)
	}
	return list
}

// unconfirmed returns a finding about a suspect.
func (s *Study) unconfirmed(x suspect) Finding {
	names := collect.Each(x.hosts, func(i int) string { return s.hosts[i].Name })
	return Finding{Scope: x.scope(), Hosts: names, Location: x.location, Status: Unconfirmed, Kind: x.kind}
}

// fewest returns the number of measurements in the survey of that one of the hosts that has fewest.
func (s *Study) fewest(hosts []int) int {
	_, measured := s.failures()
	fewest := math.MaxInt
	for _, i := range hosts {
		fewest = min(fewest, measured[i])
	}
	return fewest
}

// conclude sets kind, status and factors of a finding from a trial.
func (s *Study) conclude(f *Finding, t *trial, list []confirmed) {
	status := Confirmed
	if t.stage == Loaded {
		status = UnderLoad
	}
	failed, measured, partners, last := t.failing()
	if failed > measured && partners == len(t.targets) && s.works(t) {
		f.Status, f.Kind = status, cmp.Or(last.Kind, NoConnection)
		f.Evidence = append(f.Evidence, last.Failed)
		return
	}
	if len(list) == 0 {
		return
	}
	f.Status = status
	main, kind := kindOf(list)
	f.Kind = kind
	for _, c := range list {
		x := Factor{s.metrics[c.k].name, math.Exp(c.e.value), math.Exp(c.e.lo), math.Exp(c.e.hi), c.e.n}
		if !s.metrics[c.k].symmetric {
			x.Of += [...]string{" sending", " receiving"}[c.side]
		}
		if c == main {
			f.Factor = &x
		} else {
			f.Others = append(f.Others, x)
		}
	}
}

// works reports whether the references of a trial have results.
func (s *Study) works(t *trial) bool {
	n := 0
	for _, rep := range t.got {
		n += len(collect.If(rep.references, func(r Sample) bool { return r.A != "" && r.Failed == "" }))
	}
	return n >= reps/2
}

// oneSided is the ratio of the logarithms of two directions from which a host is called slow in
// one.
const oneSided = 3

// kindOf returns the estimate that names a finding, and the kind. What delays small messages also
// slows large ones, so a delay names it unless the bandwidth suffers much more.
func kindOf(list []confirmed) (confirmed, Kind) {
	find := func(k int, side direction) *confirmed {
		for i := range list {
			if list[i].k == k && list[i].side == side {
				return &list[i]
			}
		}
		return nil
	}
	loss, delay, both, jitter := find(lossMetric, out), find(delayMetric, out), find(bothMetric, out), find(jitterMetric, out)
	send, receive := find(rateMetric, out), find(rateMetric, in)
	rate, kind := send, SlowSend
	switch {
	case send == nil:
		rate, kind = receive, SlowReceive
	case receive == nil:
	case receive.e.value > oneSided*send.e.value:
		rate, kind = receive, SlowReceive
	case send.e.value <= oneSided*receive.e.value:
		kind = Slow
		if receive.e.value > send.e.value {
			rate = receive
		}
	}
	switch {
	case loss != nil:
		return *loss, Loss
	case delay != nil && (rate == nil || delay.e.value >= rate.e.value/2):
		return *delay, Delay
	case rate != nil:
		return *rate, kind
	case both != nil:
		return *both, SlowBoth
	}
	return *jitter, Jitter
}

// count sets with how many partners of the survey a host deviates.
func (s *Study) count(f *Finding, fits []*fit, obs [][]observation) {
	if f.Scope != OfHost || f.Factor == nil {
		return
	}
	host := s.numbers[f.Hosts[0]]
	partners, slow := map[int]bool{}, map[int]bool{}
	for k, m := range s.metrics {
		if fits[k] == nil || !strings.HasPrefix(f.Factor.Of, m.name) {
			continue
		}
		for _, o := range obs[k] {
			other := o.from + o.to - host
			if o.from != host && o.to != host || strings.HasSuffix(f.Factor.Of, " sending") && o.from != host || strings.HasSuffix(f.Factor.Of, " receiving") && o.to != host {
				continue
			}
			partners[other] = true
			if o.y-fits[k].class[o.class] > math.Log(f.Factor.Median)/2 {
				slow[other] = true
			}
		}
	}
	f.Partners, f.Slow = len(partners), len(slow)
}

// blame sets the kind of a finding about failures from the last of them.
func (s *Study) blame(f *Finding) {
	for _, r := range slices.Backward(s.seen) {
		if r.Failed != "" && (slices.Contains(f.Hosts, r.A) || slices.Contains(f.Hosts, r.B)) {
			f.Kind = cmp.Or(r.Kind, NoConnection)
			f.Evidence = append(f.Evidence, r.Failed)
			return
		}
	}
}

// describe adds counters that have changed on the hosts of a finding to its evidence.
func (s *Study) describe(f *Finding) {
	for _, h := range f.Hosts {
		for _, name := range sortedKeys(s.changed[h]) {
			f.Evidence = append(f.Evidence, fmt.Sprintf("%s: %s +%d", h, name, s.changed[h][name]))
		}
	}
}
