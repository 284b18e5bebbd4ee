package pairs

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"gobench/internal/collect"
	"gobench/stats"
)

// reps is the number of repetitions of a confirmation.
const reps = 9

// A trial confirms a suspect: in each repetition the targets are measured beside the references, so
// that a drift of the whole cluster does not matter.
type trial struct {
	suspect
	stage      Stage
	targets    [][2]int // pairs of hosts; the suspect is the first of each
	references [][2]int
	got        []repetition
	over       bool // what is left of the repetitions is not needed
}

// A repetition holds the results of the targets and references of a trial.
type repetition struct{ targets, references []Sample }

func newTrial(of suspect, stage Stage, targets, references [][2]int) *trial {
	t := &trial{suspect: of, stage: stage, targets: targets, references: references}
	for range reps {
		t.got = append(t.got, newRepetition(targets, references))
	}
	return t
}

func newRepetition(targets, references [][2]int) repetition {
	return repetition{make([]Sample, len(targets)), make([]Sample, len(references))}
}

func (t *trial) add(u use, r Sample) {
	if u.target {
		t.got[u.rep].targets[u.number] = r
	} else {
		t.got[u.rep].references[u.number] = r
	}
}

// maxPairs bounds the pairs of good hosts that are tried, as a part of the hosts, the worst first.
// Noise makes some suspects, and each takes three measurements in a repetition.
func maxPairs(hosts int) int { return max(4, hosts/8) }

// confirm plans the trials of all suspects.
func (s *Study) confirm() {
	list, good := s.suspects()
	pairs := 0
	list = slices.DeleteFunc(list, func(x suspect) bool {
		if x.scope() == OfPair {
			pairs++
		}
		return x.scope() == OfPair && pairs > maxPairs(len(s.hosts))
	})
	for i := len(list) - 1; i > 0 && len(good) < 2; i-- { // the hosts that deviate least must do
		if list[i].scope() == OfHost && !list[i].failed {
			good, list = append(good, list[i].hosts[0]), slices.Delete(list, i, i+1)
		}
	}
	if len(list) == 0 || len(good) < 2 {
		return
	}
	stages := []Stage{Alone, Loaded}
	if s.o.AtOnce == 1 {
		stages = stages[:1]
	}
	for _, stage := range stages {
		var trials []*trial
		partners := partners{s, good, 0}
		for _, x := range list {
			if t := partners.trial(x, stage); t != nil {
				trials = append(trials, t)
			}
		}
		s.trials = append(s.trials, trials...)
		s.plan(trials, stage, 0)
	}
}

// confirmFurther repeats the trials again that show an effect that is large enough, and not
// certain.
func (s *Study) confirmFurther() {
	fits, _ := s.fits()
	found := s.judge(fits)
	open := map[Stage][]*trial{}
	for _, t := range s.trials {
		if t.over || len(t.references) == 0 || len(found[t]) > 0 || !s.large(t, fits) {
			continue
		}
		for range reps {
			t.got = append(t.got, newRepetition(t.targets, t.references))
		}
		open[t.stage] = append(open[t.stage], t)
	}
	for _, stage := range []Stage{Alone, Loaded} {
		s.plan(open[stage], stage, reps)
	}
}

// large reports whether the effect of a trial in some metric is as large as those that are named.
// Jitter does not count: a busy machine makes it, and more measurements find more of it.
func (s *Study) large(t *trial, fits []*fit) bool {
	for k, m := range s.metrics {
		for _, side := range []direction{out, in} {
			if fits[k] == nil || k == jitterMetric || t.scope() == OfPair && !ofPairs(k) || m.symmetric && side == in {
				continue
			}
			if e, ok := trimmed(s.differences(t, k, side, fits[k])); ok && e.value >= s.thresholdOf(t, k) {
				return true
			}
		}
	}
	return false
}

// partners chooses partners of suspects among the good hosts, each in turn.
type partners struct {
	*Study
	good []int
	next int
}

// near returns the nearest good host that not does not contain, -1 if there is none.
func (p *partners) near(of int, not ...int) int {
	best := -1
	for k := range p.good {
		g := p.good[(p.next+k)%len(p.good)]
		if g == of || slices.Contains(not, g) {
			continue
		}
		if best < 0 || Distance(p.hosts[of], p.hosts[g]) < Distance(p.hosts[of], p.hosts[best]) {
			best = g
		}
	}
	p.next++
	return best
}

// trial returns the trial of a suspect, nil if there are too few good hosts.
func (p *partners) trial(x suspect, stage Stage) *trial {
	i := x.hosts[0]
	switch {
	case x.location != "":
		return p.groupTrial(x, stage)
	case len(x.hosts) == 1:
		g := p.near(i)
		if h := p.near(i, g); h >= 0 {
			return newTrial(x, stage, [][2]int{{i, g}, {i, h}}, [][2]int{{g, h}})
		}
	default:
		j := x.hosts[1]
		g := p.near(i, j)
		if h := p.near(j, i, g); h >= 0 {
			return newTrial(x, stage, [][2]int{{i, j}}, [][2]int{{i, g}, {j, h}})
		}
	}
	return nil
}

// groupTrial measures two hosts of a group with two others, at the distance of the group from the
// others.
func (p *partners) groupTrial(x suspect, stage Stage) *trial {
	members := slices.DeleteFunc(slices.Clone(x.hosts), func(i int) bool { return !slices.Contains(p.good, i) })
	if len(members) < 2 {
		members = x.hosts
	}
	var outside []int
	for k := range p.good {
		g := p.good[(p.next+k)%len(p.good)]
		if Distance(p.hosts[g], p.hosts[members[0]]) == x.distance && (len(outside) == 0 || Distance(p.hosts[g], p.hosts[outside[0]]) == x.distance) {
			if outside = append(outside, g); len(outside) == 2 {
				break
			}
		}
	}
	p.next++
	if len(outside) < 2 {
		return nil
	}
	return newTrial(x, stage, [][2]int{{members[0], outside[0]}, {members[1], outside[1]}}, [][2]int{{outside[0], outside[1]}})
}

// plan enqueues the matches of repetitions of trials, from the given one on. Alone, few pairs are
// measured at the same time; under load all other hosts are measured, too.
func (s *Study) plan(trials []*trial, stage Stage, from int) {
	const quiet = 16 // hosts for one pair
	for rep := from; rep < from+reps && len(trials) > 0; rep++ {
		var list []planned
		for _, t := range trials {
			add := func(p [2]int, target bool, number int) {
				list = append(list, planned{Match{p[0], p[1], rep, stage}, []use{{t, rep, target, number}}})
			}
			for k, p := range t.targets {
				add(p, true, k)
			}
			for k, p := range t.references {
				add(p, false, k)
			}
		}
		list = shared(list)
		if stage == Alone {
			s.enqueue(list, s.limit(max(1, len(s.hosts)/quiet)))
			continue
		}
		first := len(s.queue)
		s.enqueue(list, s.limit(len(list)))
		for i := first; i < len(s.queue); i++ {
			s.queue[i] = s.filled(s.queue[i], rep)
		}
	}
}

// shared joins matches of the same pair, whose result several trials use.
func shared(list []planned) []planned {
	alike := collect.By(list, func(p planned) [2]int { return [2]int{p.A, p.B} })
	return collect.Each(alike, func(some []planned) planned {
		some[0].uses = slices.Concat(collect.Each(some, func(p planned) []use { return p.uses })...)
		return some[0]
	})
}

// filled adds pairs of the hosts that a batch leaves idle.
func (s *Study) filled(batch []planned, rep int) []planned {
	busy := map[int]bool{}
	for _, p := range batch {
		busy[p.A], busy[p.B] = true, true
	}
	idle := collect.If(s.rng.Perm(len(s.hosts)), func(i int) bool { return !busy[i] && !s.lost[i] })
	for i := 0; i+1 < len(idle) && (s.o.AtOnce == 0 || len(batch) < s.o.AtOnce); i += 2 {
		batch = append(batch, planned{Match: Match{idle[i], idle[i+1], rep, Loaded}})
	}
	return batch
}

// An estimate is the effect of a suspect in a trial, as logarithms.
type estimate struct {
	value, lo, hi float64
	n             int     // repetitions with results
	p             float64 // of an effect of no more than minCertain
}

const (
	// clearAfter is the number of repetitions after which a trial ends whose effects are all less
	// than half of what is named, in their medians.
	clearAfter = 4
	// certain is the p-value of an effect with which a trial ends after minReps.
	certain = 1e-4
)

// decide ends a trial whose further repetitions would change nothing: it shows no effect, or all
// that are large enough are beyond doubt, or its targets never have a result.
func (s *Study) decide(t *trial) {
	failed, measured, _, _ := t.failing()
	if len(t.references) == 0 || failed > 0 {
		t.over = len(t.references) > 0 && measured == 0 && failed >= minReps*len(t.targets)
		return
	}
	fits, _ := s.fits()
	small, sure, open := true, false, false
	for k, m := range s.metrics {
		if fits[k] == nil || t.scope() == OfPair && !ofPairs(k) {
			continue
		}
		for _, side := range []direction{out, in} {
			if m.symmetric && side == in {
				continue
			}
			list := s.differences(t, k, side, fits[k])
			if e, ok := trimmed(list); ok && k != jitterMetric && e.value >= s.thresholdOf(t, k) {
				sure, open = sure || e.p < certain, open || e.p >= certain
			}
			small = small && len(list) >= clearAfter && stats.Median(list) <= s.thresholdOf(t, k)/2
		}
	}
	t.over = small || sure && !open
}

// differences returns the effect of the suspect of a trial in a metric and a direction in each
// repetition with results: that of the mean of the targets to that of the references.
func (s *Study) differences(t *trial, k int, side direction, f *fit) (list []float64) {
	m := s.metrics[k]
	value := func(r Sample, both bool) (float64, bool) {
		forth, back, ok := m.of(r)
		if r.Failed != "" || !ok {
			return 0, false
		}
		y := forth
		switch first := slices.Contains(t.hosts, s.numbers[r.A]) && (len(t.hosts) != 2 || t.location != "" || s.numbers[r.A] == t.hosts[0]); {
		case m.symmetric:
		case both:
			y = (forth + back) / 2
		case first == (side == in):
			y = back
		}
		return y - f.class[Distance(s.hosts[s.numbers[r.A]], s.hosts[s.numbers[r.B]])], true
	}
	for _, rep := range t.got {
		mean := func(samples []Sample, both bool) (float64, bool) {
			sum, n := 0.0, 0
			for _, r := range samples {
				if r.A == "" {
					continue
				}
				if y, ok := value(r, both); ok {
					sum += y
					n++
				}
			}
			return sum / float64(n), n > 0
		}
		target, ok := mean(rep.targets, false)
		reference, also := mean(rep.references, true)
		if ok && also {
			list = append(list, target-reference)
		}
	}
	return list
}

// minReps is the number of repetitions with results from which an effect has an interval.
const minReps = 5

// trimmed returns the mean of values without the smallest and the largest, and its 95 % interval by
// Student's t and the winsorized variance (Tukey and McLaughlin 1963): a disturbed repetition
// widens it less than it would that of the mean, and it is half as wide as that of order
// statistics.
func trimmed(values []float64) (estimate, bool) {
	n := len(values)
	if n < minReps {
		return estimate{}, false
	}
	list := slices.Sorted(slices.Values(values))
	list[0], list[n-1] = list[1], list[n-2]
	sum, all := 0.0, 0.0
	for i, y := range list {
		all += y
		if i > 0 && i < n-1 {
			sum += y
		}
	}
	inner := float64(n - 2)
	mean, winsorized := sum/inner, all/float64(n)
	squares := 0.0
	for _, y := range list {
		squares += (y - winsorized) * (y - winsorized)
	}
	student := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: inner - 1}
	se := math.Sqrt(squares/float64(n-1)) * math.Sqrt(float64(n)) / inner
	half := student.Quantile((1+stats.Level)/2) * se
	p := 1.0
	if above := mean - math.Log(minCertain); above > 0 {
		p = student.CDF(-above / max(se, 1e-12))
	}
	return estimate{mean, mean - half, mean + half, n, p}, true
}

// failing returns how many targets and references of a trial have failed and with how many
// different partners of the suspect, and the last failure of the most frequent kind.
func (t *trial) failing() (failed, measured, partners int, last Sample) {
	kinds := map[Kind]int{}
	for k := range t.targets {
		before := failed
		for _, rep := range t.got {
			switch r := rep.targets[k]; {
			case r.A == "":
			case r.Failed != "":
				failed++
				kinds[r.Kind]++
				if kinds[r.Kind] >= kinds[last.Kind] {
					last = r
				}
			default:
				measured++
			}
		}
		if failed > before {
			partners++
		}
	}
	return failed, measured, partners, last
}

// mutual plans the pairs between hosts that are confirmed to be slow, to see whether they are slow
// among each other, too.
func (s *Study) mutual() {
	hosts := s.slowHosts()
	if len(hosts) < 2 {
		return
	}
	t := &trial{suspect: suspect{hosts: hosts}, stage: Alone, got: make([]repetition, mutualReps)}
	for i, a := range hosts {
		for d := 1; d <= 2 && d < len(hosts); d++ {
			if b := hosts[(i+d)%len(hosts)]; a < b || d < len(hosts)-d {
				t.targets = append(t.targets, [2]int{a, b})
			}
		}
	}
	for i := range t.got {
		t.got[i].targets = make([]Sample, len(t.targets))
	}
	s.trials = append(s.trials, t)
	for rep := range t.got {
		var list []planned
		for k, p := range t.targets {
			list = append(list, planned{Match{p[0], p[1], 2*reps + rep, Alone}, []use{{t, rep, true, k}}})
		}
		s.enqueue(list, s.limit(max(1, len(s.hosts)/8)))
	}
}

// mutualReps is the number of repetitions of pairs between slow hosts.
const mutualReps = 3

// slowHosts returns the hosts of confirmed findings of delay or bandwidth.
func (s *Study) slowHosts() []int {
	slow := collect.If(s.hostFindings(), func(f Finding) bool {
		return f.Status == Confirmed && slices.Contains([]Kind{Delay, Slow, SlowSend, SlowReceive}, f.Kind)
	})
	return collect.Each(slow, func(f Finding) int { return s.numbers[f.Hosts[0]] })
}

// mean of the y of the mutual samples of two hosts less the class, false if not measured.
func (s *Study) among(a, b, k int, f *fit) (float64, bool) {
	var list []float64
	for _, n := range s.met[[2]int{min(a, b), max(a, b)}] {
		r := s.seen[n]
		if r.Failed != "" {
			continue
		}
		forth, back, ok := s.metrics[k].of(*r)
		if !ok {
			continue
		}
		if !s.metrics[k].symmetric {
			forth = (forth + back) / 2
		}
		list = append(list, forth-f.class[Distance(s.hosts[a], s.hosts[b])])
	}
	return stats.Median(list), len(list) > 0 && !math.IsInf(stats.Median(list), 0)
}
