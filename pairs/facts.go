package pairs

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gobench/stats"
)

// Facts describe a host by itself.
type Facts struct {
	Host     string             `json:"host"`
	Location []string           `json:"place,omitempty"`   // as Host.Location, that the host states itself
	Words    map[string]string  `json:"facts,omitempty"`   // by the name of a fact, such as "kernel"
	Numbers  map[string]float64 `json:"numbers,omitempty"` // in the units of Quantities
}

// A Quantity is a number in Facts that is compared with the median of all hosts.
type Quantity struct {
	Name   string
	Worse  string  // "lower", "higher" or "away": the deviation that is worse
	Factor float64 // from which a host deviates, of the median
	Beyond float64 // least difference from the median, in the unit
	Kind   Kind    // of the finding; "" = evidence alone
	Format func(float64) string
	Advice string
}

// Names of facts and numbers.
const (
	FactMTU    = "MTU"
	FactRate   = "link rate"
	FactPCIe   = "PCIe link"
	FactNIC    = "NIC"
	NumberCopy = "memory copy"
	NumberLeft = "share of a core"
	NumberHeld = "share of the time in which a quota stops a program"
	NumberTime = "clock"
	NumberLoop = "half round trip over loopback"
	// NumberBound is the bytes per second that link and PCIe slot of the fastest NIC allow. It is
	// not compared.
	NumberBound = "bound of bandwidth"
)

// Kinds of findings about a host by itself.
const (
	WrongMTU  Kind = "MTU"
	LinkRate  Kind = "link rate"
	PCIeWidth Kind = "PCIe width"
	NoNIC     Kind = "missing NIC"
	Memory    Kind = "slow memory"
	Busy      Kind = "busy cores"
	Quota     Kind = "CPU quota"
)

// Quantities lists the numbers that are compared. The clocks of hosts with a time service differ by
// milliseconds.
var Quantities = []Quantity{
	{NumberCopy, "lower", 1.5, 0, Memory, func(v float64) string { return fmt.Sprintf("%.3g GB/s", v/1e9) }, "compare the population of its memory slots, NUMA balancing and other programs with those of a good host"},
	{NumberLeft, "lower", 1.5, 0.1, Busy, func(v float64) string { return fmt.Sprintf("%.0f %%", 100*v) }, "look which programs run there"},
	{NumberHeld, "higher", 1, 0.1, Quota, func(v float64) string { return fmt.Sprintf("%.0f %%", 100*v) }, "raise the quota of CPU time of the cgroup of this login or job (cpu.max)"},
	{NumberTime, "away", 0, 0.2, Clock, func(v float64) string { return fmt.Sprintf("%+.3g s", v) }, "look at its time service (chronyc tracking, timedatectl)"},
	{NumberLoop, "higher", 2, 5e-6, "", func(v float64) string { return fmt.Sprintf("%.3g us", v*1e6) }, ""},
}

// kindsOfWords are the kinds of words whose deviation is a finding, with their advice.
var kindsOfWords = map[string]struct {
	kind   Kind
	advice string
}{
	FactMTU:  {WrongMTU, "give all hosts, and the switches between them, the same MTU"},
	FactRate: {LinkRate, "look at its cable, its transceiver and the port of the switch, which have agreed on another rate"},
	FactNIC:  {NoNIC, "look whether the NIC is plugged in, its link is up and its driver loaded"},
	FactPCIe: {PCIeWidth, "reseat the NIC, or move it to a slot with enough lanes"},
}

// minHosts is the number of hosts from which most of them can be right.
const minHosts = 3

// CompareFacts returns what differs between hosts: each word from that of most hosts, each number
// from the median. A difference that has a kind is a finding, others are evidence.
func CompareFacts(list []Facts) (remarks []Remark) {
	if len(list) < minHosts {
		return nil
	}
	names := map[string]string{}
	for _, f := range list {
		maps.Copy(names, f.Words)
	}
	for _, name := range sortedKeys(names) {
		remarks = append(remarks, compareWords(list, name)...)
	}
	for _, q := range Quantities {
		remarks = append(remarks, compareNumbers(list, q)...)
	}
	return remarks
}

// compareWords returns the hosts whose word is not that of most hosts. The words of NICs have a
// part for each: a host with more of them than most has no fault, one with fewer lacks a NIC, and
// its other words say so, too.
func compareWords(list []Facts, name string) (remarks []Remark) {
	hosts := map[string][]string{}
	for _, f := range list {
		hosts[f.Words[name]] = append(hosts[f.Words[name]], f.Host)
	}
	usual := ""
	for _, word := range sortedKeys(hosts) {
		if len(hosts[word]) > len(hosts[usual]) {
			usual = word
		}
	}
	if 2*len(hosts[usual]) <= len(list) || len(hosts) == 1 {
		return nil
	}
	about := kindsOfWords[name]
	for _, f := range list {
		if word := f.Words[name]; word != usual {
			r := Remark{Host: f.Host, Text: fmt.Sprintf("%s: %s, and %s on %d of %d hosts", name, orNone(word), orNone(usual), len(hosts[usual]), len(list))}
			if fewer := partsWithin(word, usual); fewer == (name == FactNIC) && !partsWithin(usual, word) {
				r.Kind, r.Advice = about.kind, about.advice
			}
			remarks = append(remarks, r)
		}
	}
	return remarks
}

// FactSeparator is between the parts of a word that has one for each NIC.
const FactSeparator = " + "

// partsWithin reports whether a word has the parts of another word, or some of them.
func partsWithin(word, all string) bool {
	left := strings.Split(all, FactSeparator)
	for _, part := range strings.Split(word, FactSeparator) {
		i := slices.Index(left, part)
		if i < 0 && part != "" {
			return false
		}
		if i >= 0 {
			left = slices.Delete(left, i, i+1)
		}
	}
	return true
}

func orNone(word string) string {
	if word == "" {
		return "none"
	}
	return strings.TrimSpace(word)
}

// minLeft is the share of a core that a typical host leaves to a measurement of small messages.
const minLeft = 0.9

// Contended reports whether other programs take part of the cores of the hosts, in their median.
func Contended(list []Facts) bool {
	left := numbers(list, NumberLeft)
	return len(left) > 0 && stats.Median(left) < minLeft
}

// numbers returns a number of the hosts that state it.
func numbers(list []Facts, name string) (values []float64) {
	for _, f := range list {
		if v, ok := f.Numbers[name]; ok {
			values = append(values, v)
		}
	}
	return values
}

// compareNumbers returns the hosts whose number deviates from the median.
func compareNumbers(list []Facts, q Quantity) (remarks []Remark) {
	values := numbers(list, q.Name)
	if len(values) < minHosts {
		return nil
	}
	median := stats.Median(values)
	sigma := sigmaOf(values)
	for _, f := range list {
		v, ok := f.Numbers[q.Name]
		if !ok || math.Abs(v-median) <= max(q.Beyond, 4*sigma) {
			continue
		}
		switch {
		case q.Worse == "away", q.Worse == "lower" && v*q.Factor < median, q.Worse == "higher" && v > median*q.Factor:
			remarks = append(remarks, Remark{f.Host, q.Kind, fmt.Sprintf("%s: %s, and %s is usual", q.Name, q.Format(v), q.Format(median)), q.Advice})
		}
	}
	return remarks
}

// A Reach is the way from one host to another, as a connection of TCP finds it.
type Reach struct {
	From    string  `json:"from"`
	To      string  `json:"to"`
	Address string  `json:"address,omitempty"` // that was reached
	Seconds float64 `json:"seconds,omitempty"` // to connect
	MTU     int     `json:"path_mtu_B,omitempty"`
	Long    bool    `json:"long_packets"` // 64 KiB pass in both directions
	Failed  string  `json:"failed,omitempty"`
}

// CompareReach returns findings about hosts that cannot be reached from others, or only by short
// packets: about a host if that is so for most others, else about the path.
func CompareReach(list []Reach) (found []Finding) {
	type side struct{ failed, long, all int }
	to, from := map[string]side{}, map[string]side{}
	count := func(m map[string]side, host string, r Reach) {
		s := m[host]
		s.all++
		if r.Failed != "" {
			s.failed++
		} else if !r.Long {
			s.long++
		}
		m[host] = s
	}
	for _, r := range list {
		count(to, r.To, r)
		count(from, r.From, r)
	}
	named := map[string]bool{}
	add := func(scope Scope, kind Kind, text string, hosts ...string) {
		found = append(found, Finding{Scope: scope, Hosts: hosts, Kind: kind, Status: Confirmed, Evidence: []string{text}, Advice: advice[kind]})
	}
	for _, host := range sortedKeys(to) {
		in, out := to[host], from[host]
		named[host] = true
		switch {
		case in.all > 1 && 2*out.failed > out.all && 2*in.failed <= in.all:
			add(OfHost, NoConnection, fmt.Sprintf("it cannot connect to %d of %d hosts, and they can connect to it", out.failed, out.all), host)
		case in.all > 1 && 2*in.failed > in.all:
			text := fmt.Sprintf("%d of %d hosts cannot connect to it", in.failed, in.all)
			if out.all > 0 && out.failed == 0 {
				text += "; it reaches all others, so a firewall of its own is likely"
			}
			add(OfHost, NoConnection, text, host)
		case in.all > 1 && 2*(in.long+in.failed) > in.all:
			add(OfHost, LongLost, fmt.Sprintf("short packets reach it from %d of %d hosts, and long ones do not", in.long, in.all), host)
		default:
			named[host] = false
		}
	}
	for _, r := range list {
		from := "from " + r.From + " to " + r.To + ": "
		switch {
		case named[r.From] || named[r.To]:
		case r.Failed != "":
			add(OfPair, NoConnection, from+r.Failed, r.From, r.To)
		case !r.Long:
			add(OfPair, LongLost, from+"short packets pass, and long ones do not", r.From, r.To)
		}
	}
	return found
}
