package pairs

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"gobench/internal/collect"
	"gobench/stats"
)

// A Status states how far a finding is confirmed.
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
	Location string   `json:"place,omitempty"` // of a group
	Kind     Kind     `json:"kind"`
	Status   Status   `json:"status"`
	Factor   *Factor  `json:"factor,omitempty"`   // of the kind
	Others   []Factor `json:"factors,omitempty"`  // of other values that are worse, too
	Partners int      `json:"partners,omitempty"` // hosts it was measured with in the survey
	Slow     int      `json:"slow_with,omitempty"`
	Evidence []string `json:"evidence,omitempty"`
	Advice   string   `json:"advice,omitempty"`
}

// A Remark is what a host by itself shows: evidence for findings about the host or, with a Kind, a
// finding.
type Remark struct {
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
	// Bad has the hosts of confirmed findings about hosts and groups, and of pairs with WrongData:
	// both, unless one of the two is in more such pairs, so that it is the cause.
	Bad     []string `json:"bad"`
	Missing []string `json:"missing"` // hosts that were tried, and have no result
	Untried []string `json:"untried"` // hosts of which nothing is known yet, see Study.tried
	// Rounds and Pairs are the numbers of measured batches and pairs, Failed that of pairs without
	// a result.
	Rounds int `json:"rounds"`
	Pairs  int `json:"pairs"`
	Failed int `json:"failed"`
	// Usual holds the medians over the survey.
	Usual Usual `json:"usual"`
	// Detectable holds, by metric, the smallest factor of one host that the noise of the survey
	// lets show.
	Detectable map[string]float64 `json:"detectable_factor,omitempty"`
	Contended  bool               `json:"contended,omitempty"` // see Options
	// Unjudged has a remark for each host and Limit that cannot be judged there, and for each host
	// of a pair that is measured alone.
	Unjudged []Remark `json:"not_judged,omitempty"`
	// Withdrawn has what was named while the study went on, about hosts not all of which are named
	// at the end.
	Withdrawn []Finding `json:"withdrawn,omitempty"`
}

// noisy is the factor of one host that must show for a verdict that names nobody.
const noisy = 2

// Conclusive reports whether a verdict without findings says that the hosts are good: all are
// measured, all metrics and limits are judged, and none could be slow by a factor of noisy without
// a sign of it.
func (v Verdict) Conclusive() bool {
	return len(v.Missing)+len(v.Untried) == 0 && !v.Noisy() && len(v.Unjudged) == 0
}

// Noisy reports whether a host that is slow by a factor of noisy might not show.
func (v Verdict) Noisy() bool { return v.Contended || hides(v.Detectable) }

// Withdraw sets Withdrawn from what was named, in this order.
func (v *Verdict) Withdraw(named []Finding) {
	for _, f := range slices.Backward(named) {
		has := func(list []Finding) bool {
			return !slices.ContainsFunc(f.Hosts, func(h string) bool {
				return !slices.ContainsFunc(list, func(g Finding) bool { return slices.Contains(g.Hosts, h) })
			})
		}
		if !has(v.Findings) && !has(v.Withdrawn) {
			v.Withdrawn = append(v.Withdrawn, f)
		}
	}
}

// hides reports whether a host that is slow by a factor of noisy would not show in some metric.
func hides(detectable map[string]float64) bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(detectable)), func(factor float64) bool { return factor > noisy })
}

// A Result holds the findings of a study and of the looks at its hosts.
type Result struct {
	Verdict
	Hosts       []Host   `json:"-"`
	Samples     []Sample `json:"-"`
	Facts       []Facts  `json:"hosts"`
	Remarks     []Remark `json:"notes,omitempty"`
	Reach       []Reach  `json:"connections,omitempty"`
	Changes     []Change `json:"slower_than_baseline,omitempty"`
	Interrupted bool     `json:"-"`
}

// Usual holds the values of a usual pair.
type Usual struct {
	HalfRTT float64 `json:"half_rtt_s,omitempty"` // of the fastest messages of a pair where Verdict.Contended
	Rate    float64 `json:"bandwidth_Bps,omitempty"`
	Both    float64 `json:"both_Bps,omitempty"`
}

// Verdict returns what is found so far. Notes are about hosts by themselves.
func (s *Study) Verdict(remarks []Remark) Verdict {
	v := Verdict{Complete: s.phase == ended, Contended: s.o.Contended, Rounds: s.rounds, Pairs: len(s.seen), Findings: []Finding{}, Suspects: []Finding{}, Good: []string{}, Bad: []string{}, Missing: []string{}, Untried: []string{}}
	found := append(s.joined(s.hostFindings()), s.wrongData()...)
	for _, n := range remarks {
		at := slices.IndexFunc(found, func(f Finding) bool { return f.Scope == OfHost && f.Hosts[0] == n.Host })
		switch {
		case n.Kind != "":
			found = append(found, Finding{Scope: OfHost, Hosts: []string{n.Host}, Kind: n.Kind, Status: Confirmed, Evidence: []string{n.Text}, Advice: n.Advice})
		case at >= 0:
			found[at].Evidence = append(found[at].Evidence, n.Text)
		}
	}
	bad, wrong := map[string]bool{}, map[string]int{} // wrong: pairs with wrong data
	for _, f := range found {
		if f.Scope == OfPair && f.Kind == WrongData {
			wrong[f.Hosts[0]]++
			wrong[f.Hosts[1]]++
		}
	}
	for _, f := range found {
		f.Advice = cmp.Or(f.Advice, advice[f.Kind])
		if f.Status == Unconfirmed {
			v.Suspects = append(v.Suspects, f)
			continue
		}
		v.Findings = append(v.Findings, f)
		for _, h := range f.Hosts {
			if f.Scope == OfPair {
				bad[h] = bad[h] || f.Kind == WrongData && wrong[h] == max(wrong[f.Hosts[0]], wrong[f.Hosts[1]])
			} else {
				bad[h] = bad[h] || f.Status == Confirmed
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
	tried := s.tried()
	for _, h := range s.hosts {
		switch {
		case bad[h.Name]:
			v.Bad = append(v.Bad, h.Name)
		case measured[h.Name]:
			v.Good = append(v.Good, h.Name)
		case tried[h.Name]:
			v.Missing = append(v.Missing, h.Name)
		default:
			v.Untried = append(v.Untried, h.Name)
		}
	}
	v.Usual = s.usual()
	if len(measured) > 2 {
		v.Detectable = s.detectable()
		return v
	}
	for _, h := range slices.Sorted(maps.Keys(measured)) { // of the one pair nothing is usual
		v.Unjudged = append(v.Unjudged, Remark{Host: h, Text: "without a third host the two cannot be told apart"})
	}
	return v
}

// tried returns the hosts that have had their turn without a result: with two partners, or with one
// at the end of the study or where the host itself was the cause. A failure of which another host
// is the cause does not count.
func (s *Study) tried() map[string]bool {
	partners := map[string]map[string]bool{}
	tried := map[string]bool{}
	for _, r := range s.seen {
		for _, side := range [][2]string{{r.A, r.B}, {r.B, r.A}} {
			host, partner := side[0], side[1]
			if r.Failed == "" || r.Culprit != "" && r.Culprit != host {
				continue
			}
			if partners[host] == nil {
				partners[host] = map[string]bool{}
			}
			partners[host][partner] = true
			if len(partners[host]) > 1 || r.Culprit == host || s.phase == ended {
				tried[host] = true
			}
		}
	}
	return tried
}

// detectable returns Verdict.Detectable.
func (s *Study) detectable() map[string]float64 {
	factors := map[string]float64{}
	fits, _ := s.fits()
	for _, k := range []int{delayMetric, rateMetric} {
		f := fits[k]
		if f == nil {
			continue
		}
		measured := collect.If(slices.Concat(f.out, f.in), func(e effect) bool { return e.n > 0 })
		errors := collect.Each(measured, func(e effect) float64 { return e.se })
		// The deviation of one host among all that is a discovery.
		z := -distuv.UnitNormal.Quantile(falseDiscoveries / float64(len(s.hosts)))
		factors[s.metrics[k].name] = math.Exp(max(s.threshold(k), z*math.Hypot(stats.Median(errors), f.spread)))
	}
	return factors
}

// wrongData returns a finding for each pair of whose messages one has arrived changed: once is
// enough.
func (s *Study) wrongData() (list []Finding) {
	for _, r := range s.seen {
		hosts := []string{min(r.A, r.B), max(r.A, r.B)}
		if r.Kind == WrongData && !slices.ContainsFunc(list, func(f Finding) bool { return slices.Equal(f.Hosts, hosts) }) {
			list = append(list, Finding{Scope: OfPair, Hosts: hosts, Kind: WrongData, Status: Confirmed, Evidence: []string{r.Failed}})
		}
	}
	return list
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
	NoConnection: "open TCP ports there, or fix them with the option port of the transport",
	WrongData:    "take both hosts, or the one of them that several such pairs have, out of use until memory, NIC and cable are tested",
	NoAnswer:     "look whether the host is up and its processes run",
	Clock:        "look at its time service (chronyc tracking, timedatectl)",
}
