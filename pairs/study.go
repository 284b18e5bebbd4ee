package pairs

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gobench/internal/collect"
)

// Options of a Study.
type Options struct {
	Rounds int `json:"rounds,omitempty"` // of the survey; 0 = DefaultRounds
	// AtOnce limits the pairs that are measured at the same time; 0 = all of a round. With 1
	// nothing is measured under load.
	AtOnce int    `json:"at_once,omitempty"`
	Seed   uint64 `json:"seed"`
	// MinFactor is the smallest factor of times and bandwidths that is named; 0 = usualFactor.
	MinFactor float64 `json:"least_factor,omitempty"`
	// Contended states that other programs take part of the hosts' cores: then the fastest of the
	// small messages are judged, and jitter names nobody, because a process that waits for its core
	// is no slow network.
	Contended bool `json:"-"`
}

// A Study is a plan that depends on what was measured. Its methods are not safe for concurrent use.
type Study struct {
	hosts   []Host
	numbers map[string]int
	o       Options
	metrics []metric
	rng     *rand.Rand

	queue   [][]planned // batches
	current []planned   // the batch that Next has returned
	phase   int
	survey  []*Sample                    // with values
	seen    []*Sample                    // all
	met     map[[2]int][]int             // samples of a pair, the lower number first, by their index in seen
	changed map[string]map[string]uint64 // counters by host
	fitted  fitting
	rounds  int // batches that are measured
	surveys int
	trials  []*trial
	lost    []bool // hosts that are out
}

// A planned match belongs to trials, unless it is of the survey.
type planned struct {
	Match
	uses []use
}

// Contend judges all samples, also those before, as of hosts on which other programs take part of
// the cores (Options.Contended).
func (s *Study) Contend() {
	s.o.Contended = true
	s.metrics = slices.Clone(metrics)
	s.metrics[delayMetric] = fastest
	s.fitted = fitting{}
}

// A use is the part of a match in a trial.
type use struct {
	trial  *trial
	rep    int
	target bool // else a reference
	number int  // of the target or reference
}

// NewStudy plans the study of hosts, whose names differ.
func NewStudy(hosts []Host, o Options) *Study {
	s := &Study{hosts: hosts, numbers: map[string]int{}, met: map[[2]int][]int{}, changed: map[string]map[string]uint64{}, o: o, metrics: metrics, rng: rand.New(rand.NewPCG(o.Seed, 42)), lost: make([]bool, len(hosts))}
	for i, h := range hosts {
		s.numbers[h.Name] = i
	}
	if o.Contended {
		s.Contend()
	}
	s.o.Rounds = cmp.Or(s.o.Rounds, DefaultRounds(len(hosts)))
	s.planSurvey()
	return s
}

// maxSurveys is the number of surveys in which noise that hides a factor of noisy is reduced.
const maxSurveys = 3

// planSurvey plans the rounds of the survey, or as many again.
func (s *Study) planSurvey() {
	for r, round := range Schedule(s.hosts, s.o.Rounds, s.rng) {
		list := collect.Each(round, func(p [2]int) planned {
			return planned{Match: Match{p[0], p[1], s.surveys*s.o.Rounds + r, Survey}}
		})
		s.enqueue(list, s.limit(len(list)))
	}
	s.surveys++
}

func (s *Study) limit(n int) int {
	if s.o.AtOnce > 0 {
		return min(n, s.o.AtOnce)
	}
	return n
}

// enqueue adds matches as batches of disjoint pairs, of the given size at most.
func (s *Study) enqueue(list []planned, limit int) {
	for len(list) > 0 {
		busy := map[int]bool{}
		var batch, rest []planned
		for _, p := range list {
			if len(batch) < max(1, limit) && !busy[p.A] && !busy[p.B] {
				busy[p.A], busy[p.B] = true, true
				batch = append(batch, p)
			} else {
				rest = append(rest, p)
			}
		}
		s.queue = append(s.queue, batch)
		list = rest
	}
}

// Drop leaves a host out of what is still to be measured.
func (s *Study) Drop(host string) {
	if i, ok := s.numbers[host]; ok {
		s.lost[i] = true
	}
}

// Next returns the next batch of matches, which may be measured at the same time, nil at the end.
// Add must be called before Next is called again.
func (s *Study) Next() []Match {
	for {
		if len(s.queue) == 0 {
			if !s.advance() {
				return nil
			}
			continue
		}
		batch := s.queue[0]
		s.queue = s.queue[1:]
		if !needed(batch) {
			continue
		}
		s.current = s.current[:0]
		var list []Match
		for _, p := range batch {
			if !s.lost[p.A] && !s.lost[p.B] && !p.over() {
				s.current = append(s.current, p)
				list = append(list, p.Match)
			}
		}
		if list != nil {
			return list
		}
	}
}

// over reports whether no trial needs the match any more.
func (p planned) over() bool {
	return len(p.uses) > 0 && !slices.ContainsFunc(p.uses, func(u use) bool { return !u.trial.over })
}

// needed reports whether a batch belongs to the survey or to a trial, and does not only load the
// hosts.
func needed(batch []planned) bool {
	return slices.ContainsFunc(batch, func(p planned) bool { return p.Stage == Survey || len(p.uses) > 0 && !p.over() })
}

// Add takes the results of the batch that Next has returned, in its order. A result without names
// was not measured. The study keeps the results, which must not be changed.
func (s *Study) Add(results []Sample) {
	touched := map[*trial]bool{}
	for i := range results {
		r := &results[i]
		if r.A == "" {
			continue
		}
		p := s.current[i]
		pair := [2]int{min(p.A, p.B), max(p.A, p.B)}
		s.met[pair] = append(s.met[pair], len(s.seen))
		s.seen = append(s.seen, r)
		for host, list := range r.Changed {
			if s.changed[host] == nil {
				s.changed[host] = map[string]uint64{}
			}
			for name, n := range list {
				s.changed[host][name] += n
			}
		}
		if p.Stage == Survey && r.Failed == "" {
			s.survey = append(s.survey, r)
		}
		for _, u := range p.uses {
			u.trial.add(u, *r)
			touched[u.trial] = true
		}
	}
	for t := range touched {
		if !t.over {
			s.decide(t)
		}
	}
	s.rounds++
}

// Samples returns all results, in order.
func (s *Study) Samples() []Sample {
	return collect.Each(s.seen, func(r *Sample) Sample { return *r })
}

// phases of a study after the survey, each begun when the queue of the one before is empty.
const (
	inSurvey = iota
	inConfirmation
	inFurther
	inMutual
	ended
)

// advance plans the next phase and reports whether there is one.
func (s *Study) advance() bool {
	switch s.phase {
	case inSurvey:
		if s.surveys < maxSurveys && hides(s.detectable()) {
			s.planSurvey()
			return true
		}
		s.phase = inConfirmation
		s.confirm()
	case inConfirmation:
		s.phase = inFurther
		s.confirmFurther()
	case inFurther:
		s.phase = inMutual
		s.mutual()
	case inMutual:
		s.phase = ended
	default:
		return false
	}
	return true
}

// A fitting holds the fit of each metric, and the groups that are suspects, from a number of
// samples of the survey.
type fitting struct {
	samples int
	fits    []*fit // nil for a metric that was not measured
	obs     [][]observation
	groups  []suspect
}

// fits returns the fit of each metric to the survey.
func (s *Study) fits() ([]*fit, [][]observation) {
	if s.fitted.fits != nil && s.fitted.samples == len(s.survey) {
		return s.fitted.fits, s.fitted.obs
	}
	f := fitting{samples: len(s.survey), fits: make([]*fit, len(s.metrics)), obs: make([][]observation, len(s.metrics))}
	classes := 1
	if len(s.hosts) > 0 {
		classes += len(s.hosts[0].Location)
	}
	for n, r := range s.survey {
		a, b := s.numbers[r.A], s.numbers[r.B]
		class := Distance(s.hosts[a], s.hosts[b])
		for k, m := range s.metrics {
			forth, back, ok := m.of(*r)
			if !ok || math.IsNaN(forth+back) || math.IsInf(forth+back, 0) {
				continue
			}
			f.obs[k] = append(f.obs[k], observation{a, b, class, forth, n})
			if !m.symmetric {
				f.obs[k] = append(f.obs[k], observation{b, a, class, back, n})
			}
		}
	}
	for k, m := range s.metrics {
		if len(f.obs[k]) > 0 {
			one := fitEffects(len(s.hosts), classes, f.obs[k], m.symmetric)
			f.fits[k] = &one
		}
	}
	f.groups = s.suspectGroups(f.obs)
	s.fitted = f
	return f.fits, f.obs
}

// minContended is the factor of times and bandwidths above which the whole interval must be, so
// that a host is named while other programs take part of the cores.
const minContended = 2

// threshold returns the smallest effect of a metric that is named.
func (s *Study) threshold(k int) float64 {
	own := s.metrics[k].threshold
	switch {
	case s.o.Contended && k == jitterMetric:
		return math.Inf(1)
	case s.o.Contended && k != lossMetric:
		return math.Log(max(s.o.MinFactor, minContended))
	case s.o.MinFactor <= 1 || k == lossMetric || k == jitterMetric:
		return own
	case k == bothMetric:
		return max(own, math.Log(s.o.MinFactor))
	}
	return math.Log(s.o.MinFactor)
}
