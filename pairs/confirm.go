package pairs

import (
	"math"
	"slices"

	"gobench/stats"
)

// reps is the number of repetitions of a confirmation. The smallest and the largest of six values
// bound their median at a level of 97 % (stats.MedianRanks).
const reps = stats.LeastLaunches

// A trial confirms a suspect: in each repetition the targets are measured beside the references, so
// that a drift of the whole cluster does not matter.
type trial struct {
	suspect
	stage      Stage
	targets    [][2]int // pairs of hosts; the suspect is the first of each
	references [][2]int
	got        []repetition
}

// A repetition holds the results of the targets and references of a trial.
type repetition struct{ targets, references []Sample }

func newTrial(of suspect, stage Stage, targets, references [][2]int) *trial {
	t := &trial{suspect: of, stage: stage, targets: targets, references: references, got: make([]repetition, reps)}
	for i := range t.got {
		t.got[i] = repetition{make([]Sample, len(targets)), make([]Sample, len(references))}
	}
	return t
}

func (t *trial) add(u use, r Sample) {
	if u.target {
		t.got[u.rep].targets[u.number] = r
	} else {
		t.got[u.rep].references[u.number] = r
	}
}

// confirm plans the trials of all suspects.
func (s *Study) confirm() {
	list, good := s.suspects()
	if len(list) == 0 || len(good) < 2 {
		return
	}
	stages := []Stage{Alone, Loaded}
	if s.o.AtOnce == 1 {
		stages = stages[:1]
	}
	for _, stage := range stages {
		var trials []*trial
		next := 0
		partner := func(of int, not ...int) int { // the nearest of the good, each in turn
			best := -1
			for k := range good {
				g := good[(next+k)%len(good)]
				if g == of || slices.Contains(not, g) {
					continue
				}
				if best < 0 || Distance(s.hosts[of], s.hosts[g]) < Distance(s.hosts[of], s.hosts[best]) {
					best = g
				}
			}
			next++
			return best
		}
		for _, x := range list {
			i := x.hosts[0]
			if len(x.hosts) == 1 {
				g := partner(i)
				h := partner(i, g)
				if h >= 0 {
					trials = append(trials, newTrial(x, stage, [][2]int{{i, g}, {i, h}}, [][2]int{{g, h}}))
				}
				continue
			}
			j := x.hosts[1]
			g := partner(i, j)
			h := partner(j, i, g)
			if h >= 0 {
				trials = append(trials, newTrial(x, stage, [][2]int{{i, j}}, [][2]int{{i, g}, {j, h}}))
			}
		}
		s.trials = append(s.trials, trials...)
		s.plan(trials, stage)
	}
}

// plan enqueues the matches of trials. Alone, few pairs are measured at the same time; under load all
// other hosts are measured, too.
func (s *Study) plan(trials []*trial, stage Stage) {
	const quiet = 16 // hosts for one pair
	for rep := range reps {
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
		from := len(s.queue)
		s.enqueue(list, s.limit(len(list)))
		for i := from; i < len(s.queue); i++ {
			s.queue[i] = s.filled(s.queue[i], rep)
		}
	}
}

// shared joins matches of the same pair, whose result several trials use.
func shared(list []planned) []planned {
	at := map[[2]int]int{}
	var short []planned
	for _, p := range list {
		k, ok := at[[2]int{p.A, p.B}]
		if !ok {
			at[[2]int{p.A, p.B}] = len(short)
			short = append(short, p)
			continue
		}
		short[k].uses = append(short[k].uses, p.uses...)
	}
	return short
}

// filled adds pairs of the hosts that a batch leaves idle.
func (s *Study) filled(batch []planned, rep int) []planned {
	busy := map[int]bool{}
	for _, p := range batch {
		busy[p.A], busy[p.B] = true, true
	}
	var idle []int
	for _, i := range s.rng.Perm(len(s.hosts)) {
		if !busy[i] && !s.lost[i] {
			idle = append(idle, i)
		}
	}
	for i := 0; i+1 < len(idle) && (s.o.AtOnce == 0 || len(batch) < s.o.AtOnce); i += 2 {
		batch = append(batch, planned{Match: Match{idle[i], idle[i+1], rep, Loaded}})
	}
	return batch
}

// An estimate is the effect of a suspect in a trial, as logarithms.
type estimate struct {
	value, lo, hi float64
	n             int // repetitions with results
}

// estimate returns the effect of the suspect of a trial in a metric and a direction: the median over
// the repetitions of the targets' mean less that of the references.
func (s *Study) estimate(t *trial, k int, side direction, f *fit) (estimate, bool) {
	m := metrics[k]
	value := func(r Sample, of int, both bool) (float64, bool) {
		forth, back, ok := m.of(r)
		if r.Failed != "" || !ok {
			return 0, false
		}
		y := forth
		switch first := s.numbers[r.A] == of; {
		case m.symmetric:
		case both:
			y = (forth + back) / 2
		case first == (side == in):
			y = back
		}
		return y - f.class[Distance(s.hosts[s.numbers[r.A]], s.hosts[s.numbers[r.B]])], true
	}
	var list []float64
	for _, rep := range t.got {
		mean := func(samples []Sample, of int, both bool) (float64, bool) {
			sum, n := 0.0, 0
			for _, r := range samples {
				if r.A == "" {
					continue
				}
				if y, ok := value(r, of, both); ok {
					sum += y
					n++
				}
			}
			return sum / float64(n), n > 0
		}
		target, ok := mean(rep.targets, t.hosts[0], false)
		reference, also := mean(rep.references, -1, true)
		if ok && also {
			list = append(list, target-reference)
		}
	}
	lo, hi, level := stats.MedianRanks(len(list), stats.Level)
	if level == 0 {
		return estimate{}, false
	}
	slices.Sort(list)
	return estimate{stats.Median(list), list[lo-1], list[hi-1], len(list)}, true
}

// failing returns how many targets and references of a trial have failed and with how many different
// partners of the suspect, and the reason of the last failure.
func (t *trial) failing() (failed, measured, partners int, last Sample) {
	for k := range t.targets {
		before := failed
		for _, rep := range t.got {
			switch r := rep.targets[k]; {
			case r.A == "":
			case r.Failed != "":
				failed++
				last = r
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
			list = append(list, planned{Match{p[0], p[1], reps + rep, Alone}, []use{{t, rep, true, k}}})
		}
		s.enqueue(list, s.limit(max(1, len(s.hosts)/8)))
	}
}

// mutualReps is the number of repetitions of pairs between slow hosts.
const mutualReps = 3

// slowHosts returns the hosts of confirmed findings of delay or bandwidth.
func (s *Study) slowHosts() []int {
	var hosts []int
	for _, f := range s.hostFindings() {
		switch f.Kind {
		case Delay, Slow, SlowSend, SlowReceive:
			if f.Status == Confirmed {
				hosts = append(hosts, s.numbers[f.Hosts[0]])
			}
		}
	}
	return hosts
}

// mean of the y of the mutual samples of two hosts less the class, false if not measured.
func (s *Study) among(a, b, k int, f *fit) (float64, bool) {
	var list []float64
	for _, r := range s.seen {
		x, y := s.numbers[r.A], s.numbers[r.B]
		if r.Failed != "" || min(x, y) != min(a, b) || max(x, y) != max(a, b) {
			continue
		}
		forth, back, ok := metrics[k].of(r)
		if !ok {
			continue
		}
		if !metrics[k].symmetric {
			forth = (forth + back) / 2
		}
		list = append(list, forth-f.class[Distance(s.hosts[x], s.hosts[y])])
	}
	return stats.Median(list), len(list) > 0 && !math.IsInf(stats.Median(list), 0)
}
