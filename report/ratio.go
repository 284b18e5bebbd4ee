package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gobench/bench/record"
	"gobench/bench/series"
	"gobench/bench/state"
	"gobench/bench/stats"
)

// ratioLines returns the ratio of each further transport to the first one, cell by cell, over
// launches with the cores in the same state. It is empty if all cells are of one transport.
func ratioLines(cells []*series.Cell, pairs bool) []string {
	var transports []string
	same := map[string][]*series.Cell{} // that differ in the transport
	var order []string
	for _, c := range cells {
		p := c.First()
		if !slices.Contains(transports, p.Transport) {
			transports = append(transports, p.Transport)
		}
		key := ratioKey(c)
		if same[key] == nil {
			order = append(order, key)
		}
		same[key] = append(same[key], c)
	}
	lines := map[string]string{}
	var heads []string
	doubtful := false
	for _, transport := range transports[min(1, len(transports)):] {
		for _, key := range order {
			text, known := ratioText(same[key], transports[0], transport)
			if text == "" {
				continue
			}
			p := same[key][0].First()
			head := fmt.Sprintf("%s / %s, %s", transport, transports[0], ratioOf(p))
			if pairs {
				head += " on cores " + list(p.Cores)
			}
			if _, ok := lines[head]; !ok {
				heads = append(heads, head)
				lines[head] = head + ":"
			} else {
				lines[head] += ","
			}
			lines[head] += " " + place(*p) + " " + text
			doubtful = doubtful || !known
		}
	}
	if len(heads) == 0 {
		return nil
	}
	var list []string
	for _, head := range heads {
		list = append(list, lines[head])
	}
	legend := "ratio = median of all ratios of a launch to a launch with its 95 % interval, cores in the same state"
	if doubtful {
		legend += "; inconclusive = fewer than 4 launches of each in the same state of the cores"
	}
	return append(list, legend)
}

// ratioKey returns equal keys for cells of the same requested configuration in the same place over
// any transport. Factors that the transport chooses, such as its options, may differ.
func ratioKey(c *series.Cell) string {
	q := *c.First()
	q.Transport, q.Options, q.Memory = "", nil, ""
	key := q.CellKey()
	if c.Run != nil {
		key += c.Run.Place() + "\x00" + c.Run.Label
	}
	return key
}

// ratioOf returns the benchmark and metric of a ratio.
func ratioOf(p *record.Point) string {
	name := record.TimeKey(p.Metrics)
	switch {
	case name == "run_s":
		return "t"
	case name != "":
		name = "t"
	default:
		m, _ := record.Lookup(series.Main(p.Metrics))
		name = m.Name
	}
	s := name + " of " + p.Bench
	if p.Algorithm != "" {
		s += " " + p.Algorithm
	}
	if groups := record.LookupFactor("groups").Say(p); groups != "" {
		s += ", " + groups
	}
	return s
}

// ratioText returns the ratio of transport b to a and whether it has an interval. It returns "" and
// true if one of them was not measured.
func ratioText(cells []*series.Cell, a, b string) (text string, known bool) {
	var of [2][state.Count][]float64
	var seen [2]bool
	for _, c := range cells {
		i := slices.Index([]string{a, b}, c.First().Transport)
		if i < 0 {
			continue
		}
		for in, points := range c.States {
			for _, p := range points {
				if v := p.Metrics[series.Main(p.Metrics)].Median; v > 0 {
					of[i][in] = append(of[i][in], v)
					seen[i] = true
				}
			}
		}
	}
	if !seen[0] || !seen[1] {
		return "", true
	}
	best, most := state.Unknown, 0
	for in := range state.Count {
		if n := min(len(of[0][in]), len(of[1][in])); n > most && in.Pair() != state.Changing {
			best, most = in, n
		}
	}
	if most == 0 {
		return inconclusive, false
	}
	shift := stats.NewShift(stats.Stratum{A: of[0][best], B: of[1][best]})
	r, _ := shift.Ratio(stats.Level)
	if shift.LeastP() >= 1-stats.Level {
		return fmt.Sprintf("%s (%s)", times(r.Median), inconclusive), false
	}
	return fmt.Sprintf("%s (%s to %s)", times(r.Median), times(r.Lo), times(r.Hi)), true
}

const inconclusive = "inconclusive"

// times formats a ratio with at least three digits.
func times(v float64) string {
	digits := 2
	switch {
	case v >= 100:
		digits = 0
	case v >= 10:
		digits = 1
	case v < 1:
		digits = 3
	}
	return strings.TrimSpace(strconv.FormatFloat(v, 'f', digits, 64))
}
