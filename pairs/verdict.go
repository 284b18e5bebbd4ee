package pairs

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Status tells how far a finding is confirmed.
type Status string

// States of a finding.
const (
	Confirmed   Status = "confirmed"       // alone, with two partners that are good
	UnderLoad   Status = "only under load" // while all other hosts are measured
	Unconfirmed Status = "not confirmed"   // it deviates in the survey alone
)

// Scope is the part of the cluster that a finding is about.
type Scope string

// Scopes.
const (
	OfHost  Scope = "host"
	OfPair  Scope = "pair"  // the path between two hosts that are good
	OfGroup Scope = "group" // hosts that are good among each other, or all of one place
)

// A Factor is a ratio to good pairs, with its 95 % interval.
type Factor struct {
	Of     string  `json:"of"`
	Median float64 `json:"median"`
	Lo     float64 `json:"lo"`
	Hi     float64 `json:"hi"`
	N      int     `json:"n"` // repetitions
}

func (f Factor) String() string {
	return fmt.Sprintf("%.3g times (%.3g to %.3g)", f.Median, f.Lo, f.Hi)
}

// A Finding names a part of the cluster that is not like the rest.
type Finding struct {
	Scope    Scope    `json:"scope"`
	Hosts    []string `json:"hosts"`
	Place    string   `json:"place,omitempty"` // of a group
	Kind     Kind     `json:"kind"`
	Status   Status   `json:"status"`
	Factor   *Factor  `json:"factor,omitempty"`   // of the kind
	Others   []Factor `json:"factors,omitempty"`  // of other values that are worse, too
	Partners int      `json:"partners,omitempty"` // hosts it was measured with in the survey
	Slow     int      `json:"slow_with,omitempty"`
	Evidence []string `json:"evidence,omitempty"`
	Advice   string   `json:"advice,omitempty"`
}

// A Note is what a host by itself shows: evidence for findings about the host or, with a Kind, a
// finding.
type Note struct {
	Host   string `json:"host"`
	Kind   Kind   `json:"kind,omitempty"`
	Text   string `json:"text"`
	Advice string `json:"advice,omitempty"`
}

// A Verdict is the result of a study, by now.
type Verdict struct {
	Complete bool      `json:"complete"` // nothing is left to be measured
	Findings []Finding `json:"findings"` // confirmed, or only under load; the worst first
	Suspects []Finding `json:"suspects"` // not confirmed
	Good     []string  `json:"good"`
	Bad      []string  `json:"bad"`     // hosts of confirmed findings about hosts and groups
	Missing  []string  `json:"missing"` // hosts without a measurement
	// Rounds and Pairs are the numbers of measured batches and pairs, Failed that of pairs without a
	// result.
	Rounds int `json:"rounds"`
	Pairs  int `json:"pairs"`
	Failed int `json:"failed"`
	// Usual holds the medians over the survey.
	Usual Usual `json:"usual"`
}

// Usual holds the values of a usual pair.
type Usual struct {
	HalfRTT float64 `json:"half_rtt_s,omitempty"`
	Rate    float64 `json:"bandwidth_Bps,omitempty"`
	Both    float64 `json:"both_Bps,omitempty"`
}

// Verdict returns what is found so far. Notes are about hosts by themselves.
func (s *Study) Verdict(notes []Note) Verdict {
	v := Verdict{Complete: s.phase == ended, Rounds: s.rounds, Pairs: len(s.seen), Findings: []Finding{}, Suspects: []Finding{}, Good: []string{}, Bad: []string{}, Missing: []string{}}
	found := s.joined(s.hostFindings())
	for _, n := range notes {
		at := slices.IndexFunc(found, func(f Finding) bool { return f.Scope == OfHost && f.Hosts[0] == n.Host })
		switch {
		case n.Kind != "":
			found = append(found, Finding{Scope: OfHost, Hosts: []string{n.Host}, Kind: n.Kind, Status: Confirmed, Evidence: []string{n.Text}, Advice: n.Advice})
		case at >= 0:
			found[at].Evidence = append(found[at].Evidence, n.Text)
		}
	}
	bad := map[string]bool{}
	for _, f := range found {
		if f.Advice == "" {
			f.Advice = advice[f.Kind]
		}
		if f.Status == Unconfirmed {
			v.Suspects = append(v.Suspects, f)
			continue
		}
		v.Findings = append(v.Findings, f)
		if f.Scope != OfPair && f.Status == Confirmed {
			for _, h := range f.Hosts {
				bad[h] = true
			}
		}
	}
	slices.SortStableFunc(v.Findings, func(a, b Finding) int { return cmp.Compare(b.weight(), a.weight()) })
	measured := map[string]bool{}
	for _, r := range s.seen {
		if r.Failed != "" {
			v.Failed++
			continue
		}
		measured[r.A], measured[r.B] = true, true
	}
	for _, h := range s.hosts {
		switch {
		case bad[h.Name]:
			v.Bad = append(v.Bad, h.Name)
		case measured[h.Name]:
			v.Good = append(v.Good, h.Name)
		default:
			v.Missing = append(v.Missing, h.Name)
		}
	}
	v.Usual = s.usual()
	return v
}

// weight orders findings: those without a factor, such as a host that does not answer, are first.
func (f Finding) weight() float64 {
	if f.Factor == nil {
		return math.Inf(1)
	}
	return f.Factor.Median
}

func (s *Study) usual() Usual {
	fits, _ := s.fits()
	value := func(k int, sign float64) float64 {
		if fits[k] == nil {
			return 0
		}
		for c := len(fits[k].class) - 1; c >= 0; c-- { // the farthest that occurs
			if fits[k].class[c] != 0 {
				return math.Exp(sign * fits[k].class[c])
			}
		}
		return 0
	}
	return Usual{value(delayMetric, 1), value(rateMetric, -1), value(bothMetric, -1)}
}

// advice has a remedy for each kind.
var advice = map[Kind]string{
	Delay:        "compare interrupts, power saving and other programs there with those of a good host, then the cable and the port of the switch",
	Slow:         "compare the negotiated rate, the PCIe width and the MTU of its NIC with those of a good host, then change the cable",
	SlowSend:     "look at the sending direction: its cable, the receiving port of the switch, its queues and shaping",
	SlowReceive:  "look at the receiving direction: its cable, the sending port of the switch, its rings and interrupts",
	SlowBoth:     "its NIC is not full duplex, or its processor limits both directions: compare duplex, queues and interrupts",
	Loss:         "read the error counters of its NIC and of the port of the switch, clean or change the cable",
	Jitter:       "look for programs that run at intervals there, and for power saving",
	LongLost:     "compare the MTUs of the host, its partners and all switches between them",
	NoConnection: "open TCP ports there, or fix them with --set port=N",
	NoAnswer:     "look whether the host is up and its processes run",
	Clock:        "look at its time service (chronyc tracking, timedatectl)",
}

// confirmed holds the estimates of a suspect that exceed what is named.
type confirmed struct {
	k     int
	side  direction
	e     estimate
	stage Stage
}

// judge returns the estimates of a trial that are certain and large enough.
func (s *Study) judge(t *trial, fits []*fit) (list []confirmed) {
	for k, m := range metrics {
		if fits[k] == nil {
			continue
		}
		for _, side := range []direction{out, in} {
			if m.symmetric && side == in {
				break
			}
			if e, ok := s.estimate(t, k, side, fits[k]); ok && e.lo > 0 && e.value >= s.least(k) {
				list = append(list, confirmed{k, side, e, t.stage})
			}
		}
	}
	return list
}

// hostFindings returns a finding for each suspect that was tried, and for those that were not yet.
func (s *Study) hostFindings() []Finding {
	fits, obs := s.fits()
	var list []Finding
	tried := map[string]bool{}
	for i := range s.trials {
		t := s.trials[i]
		if len(t.references) == 0 {
			continue // of hosts among each other
		}
		key := fmt.Sprint(t.hosts)
		if tried[key] {
			continue
		}
		tried[key] = true
		f := Finding{Scope: OfHost, Status: Unconfirmed, Kind: Delay}
		for _, h := range t.hosts {
			f.Hosts = append(f.Hosts, s.hosts[h].Name)
		}
		if len(t.hosts) == 2 {
			f.Scope = OfPair
		}
		for _, stage := range []Stage{Alone, Loaded} {
			for _, u := range s.trials[i:] {
				if u.stage == stage && len(u.references) > 0 && slices.Equal(u.hosts, t.hosts) && f.Status == Unconfirmed {
					s.conclude(&f, u, fits)
				}
			}
		}
		s.count(&f, fits, obs)
		s.describe(&f)
		list = append(list, f)
	}
	if s.phase == inSurvey || len(s.trials) == 0 {
		suspects, _ := s.suspects()
		for _, x := range suspects {
			f := Finding{Scope: OfHost, Status: Unconfirmed, Kind: s.worstKind(x.hosts[0], fits)}
			for _, h := range x.hosts {
				f.Hosts = append(f.Hosts, s.hosts[h].Name)
			}
			if len(x.hosts) == 2 {
				f.Scope = OfPair
			}
			if x.failed && len(s.trials) == 0 {
				s.blame(&f)
			}
			list = append(list, f)
		}
	}
	return list
}

// conclude sets kind, status and factors of a finding from a trial.
func (s *Study) conclude(f *Finding, t *trial, fits []*fit) {
	failed, measured, partners, last := t.failing()
	if failed > measured && (partners == len(t.targets)) && s.works(t) {
		f.Status, f.Kind = Confirmed, cmp.Or(last.Kind, NoConnection)
		f.Evidence = append(f.Evidence, last.Failed)
		return
	}
	list := s.judge(t, fits)
	if len(list) == 0 {
		return
	}
	f.Status = Confirmed
	if t.stage == Loaded {
		f.Status = UnderLoad
	}
	main, kind := kindOf(list)
	f.Kind = kind
	for _, c := range list {
		x := Factor{metrics[c.k].name, math.Exp(c.e.value), math.Exp(c.e.lo), math.Exp(c.e.hi), c.e.n}
		if !metrics[c.k].symmetric {
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
		for _, r := range rep.references {
			if r.A != "" && r.Failed == "" {
				n++
			}
		}
	}
	return n >= reps/2
}

// oneSided is the ratio of the logarithms of two directions from which a host is called slow in one.
const oneSided = 3

// kindOf returns the estimate that names a finding, and the kind.
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
	case delay != nil && (rate == nil || delay.e.value >= rate.e.value):
		return *delay, Delay
	case rate != nil:
		return *rate, kind
	case both != nil:
		return *both, SlowBoth
	}
	return *jitter, Jitter
}

// worstKind returns the kind of the largest effect of a host in the survey.
func (s *Study) worstKind(host int, fits []*fit) Kind {
	var list []confirmed
	for k, f := range fits {
		if f == nil {
			continue
		}
		for side, e := range []effect{f.out[host], f.in[host]} {
			if e.value >= suspicion*s.least(k) && (side == 0 || !metrics[k].symmetric) {
				list = append(list, confirmed{k: k, side: direction(side), e: estimate{value: e.value}})
			}
		}
	}
	if len(list) == 0 {
		return NoAnswer
	}
	_, kind := kindOf(list)
	return kind
}

// count sets with how many partners of the survey a host deviates.
func (s *Study) count(f *Finding, fits []*fit, obs [][]observation) {
	if f.Scope != OfHost || f.Factor == nil {
		return
	}
	host := s.numbers[f.Hosts[0]]
	partners, slow := map[int]bool{}, map[int]bool{}
	for k, m := range metrics {
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
	sum := map[string]uint64{}
	for _, r := range s.seen {
		for _, h := range f.Hosts {
			for name, n := range r.Changed[h] {
				sum[h+": "+name] += n
			}
		}
	}
	var names []string
	for name := range sum {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		f.Evidence = append(f.Evidence, fmt.Sprintf("%s +%d", name, sum[name]))
	}
}

// joined replaces findings about hosts by findings about groups: hosts that are slow with the others
// and not among each other, and those of a place of which most hosts are slow.
func (s *Study) joined(list []Finding) []Finding {
	fits, _ := s.fits()
	var slow []int // of list
	for i, f := range list {
		if f.Scope == OfHost && f.Status == Confirmed && f.Factor != nil && slices.Contains([]Kind{Delay, Slow, SlowSend, SlowReceive}, f.Kind) {
			slow = append(slow, i)
		}
	}
	group := make([]int, len(list))
	for i := range group {
		group[i] = i
	}
	root := func(i int) int {
		for group[i] != i {
			i = group[i]
		}
		return i
	}
	for x, i := range slow {
		for _, j := range slow[x+1:] {
			k := delayMetric
			if list[i].Kind != Delay {
				k = rateMetric
			}
			if fits[k] == nil || (list[i].Kind == Delay) != (list[j].Kind == Delay) {
				continue
			}
			own := min(math.Log(list[i].Factor.Median), math.Log(list[j].Factor.Median))
			if y, ok := s.among(s.numbers[list[i].Hosts[0]], s.numbers[list[j].Hosts[0]], k, fits[k]); ok && y < own/2 {
				group[root(j)] = root(i)
			}
		}
	}
	members := map[int][]int{}
	for _, i := range slow {
		members[root(i)] = append(members[root(i)], i)
	}
	gone := map[int]bool{}
	var groups []Finding
	for _, i := range slow {
		if m := members[i]; len(m) > 1 {
			g := s.groupOf(list, m)
			g.Evidence = append(g.Evidence, "they are not slow among each other, so what connects them with the others is")
			groups = append(groups, g)
			for _, j := range m {
				gone[j] = true
			}
		}
	}
	for _, m := range s.places(list, slow, gone) {
		groups = append(groups, s.groupOf(list, m))
		for _, j := range m {
			gone[j] = true
		}
	}
	kept := groups
	for i, f := range list {
		if !gone[i] {
			kept = append(kept, f)
		}
	}
	return kept
}

// places returns the findings, by their numbers, of places with three hosts or more of which three in
// four are slow, the widest places first.
func (s *Study) places(list []Finding, slow []int, gone map[int]bool) (groups [][]int) {
	if len(s.hosts) == 0 {
		return nil
	}
	taken := map[int]bool{}
	for level := range s.hosts[0].Place {
		size, found := map[string]int{}, map[string][]int{}
		key := func(h Host) string { return strings.Join(h.Place[:level+1], "\x00") }
		for _, h := range s.hosts {
			size[key(h)]++
		}
		for _, i := range slow {
			if !gone[i] && !taken[i] {
				k := key(s.hosts[s.numbers[list[i].Hosts[0]]])
				found[k] = append(found[k], i)
			}
		}
		for _, k := range sortedKeys(found) {
			if n := len(found[k]); n >= 3 && 4*n >= 3*size[k] && size[k] < len(s.hosts) {
				groups = append(groups, found[k])
				for _, i := range found[k] {
					taken[i] = true
				}
			}
		}
	}
	return groups
}

func sortedKeys[T any](m map[string]T) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// groupOf returns a finding about the hosts of several findings.
func (s *Study) groupOf(list []Finding, members []int) Finding {
	g := Finding{Scope: OfGroup, Status: Confirmed, Kind: list[members[0]].Kind}
	worst := list[members[0]].Factor
	for _, i := range members {
		f := list[i]
		g.Hosts = append(g.Hosts, f.Hosts...)
		g.Partners = max(g.Partners, f.Partners)
		if f.Factor.Median > worst.Median {
			worst = f.Factor
		}
		if f.Kind != g.Kind {
			g.Kind = Slow
		}
	}
	factor := *worst
	g.Factor = &factor
	g.Place = s.common(g.Hosts)
	g.Advice = "look at the switch of these hosts and its uplinks"
	return g
}

// common returns the narrowest place that all hosts share, "" if it is not known.
func (s *Study) common(hosts []string) string {
	first := s.hosts[s.numbers[hosts[0]]]
	for level := len(first.Place); level > 0; level-- {
		if !slices.ContainsFunc(hosts, func(h string) bool {
			return !slices.Equal(s.hosts[s.numbers[h]].Place[:level], first.Place[:level])
		}) {
			return strings.Join(first.Place[:level], ".")
		}
	}
	return ""
}
