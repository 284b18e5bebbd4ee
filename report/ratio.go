package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gobench/internal/bench/state"
	"gobench/internal/collect"
	"gobench/internal/record/series"
	"gobench/record"
	"gobench/stats"
)

// ratioLines returns the ratio of each further transport to the first one, cell by cell, within the
// states of the cores. It is empty if all cells are of one transport.
func ratioLines(cells []*series.Cell, pairs bool) []string {
	var transports []string
	for _, c := range cells {
		transports = collect.Union(transports, c.First().Transport)
	}
	if len(transports) < 2 {
		return nil
	}
	alike := collect.By(cells, ratioKey) // they differ in the transport
	lines := map[string]string{}
	var heads []string
	doubtful, sure := false, false
	for _, transport := range transports[1:] {
		for _, same := range alike {
			for _, r := range pairings(same, transports[0], transport) {
				text, known := r.text()
				if text == "" {
					continue
				}
				p := same[0].First()
				head := fmt.Sprintf("%s / %s, %s", variant(r.other, same), variant(r.base, same), ratioOf(p))
				if pairs {
					head += " on cores " + list(p.Cores)
				}
				if _, ok := lines[head]; !ok {
					heads = append(heads, head)
					lines[head] = head + ":"
				} else {
					lines[head] += ","
				}
				lines[head] += " " + location(p) + " " + text
				doubtful, sure = doubtful || !known, sure || known
			}
		}
	}
	if len(heads) == 0 {
		return nil
	}
	list := collect.Each(heads, func(head string) string { return lines[head] })
	legend := "ratio = median of all ratios of a launch to a launch"
	if sure {
		legend += " with its 95 % interval"
	}
	legend += ", cores in the same state"
	if doubtful {
		legend += "; inconclusive = too few launches of each in the same state of the cores"
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
		key += c.Run.Location() + "\x00" + c.Run.Label
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

// A pairing holds two cells whose ratio is wanted.
type pairing struct{ base, other *series.Cell }

// pairings returns the pairs of a cell of transport a and one of b among cells of one ratioKey.
// Memory or options that both transports have are compared with the same.
func pairings(cells []*series.Cell, a, b string) (list []pairing) {
	left, right := over(cells, a), over(cells, b)
	for _, x := range left {
		for _, y := range right {
			if !slices.ContainsFunc(choices, func(of func(*record.Point) string) bool {
				u, v := of(x.First()), of(y.First())
				return u != v && has(right, of, u) && has(left, of, v)
			}) {
				list = append(list, pairing{x, y})
			}
		}
	}
	return list
}

// choices return what a transport chooses, see ratioKey.
var choices = []func(p *record.Point) string{
	func(p *record.Point) string { return p.Memory },
	func(p *record.Point) string { return record.OptionsText(p.Options) },
}

func has(cells []*series.Cell, of func(*record.Point) string, value string) bool {
	return slices.ContainsFunc(cells, func(c *series.Cell) bool { return of(c.First()) == value })
}

func over(cells []*series.Cell, transport string) []*series.Cell {
	return collect.If(cells, func(c *series.Cell) bool { return c.First().Transport == transport })
}

// variant returns the transport of a cell with the memory and options in which it differs from
// other cells of the transport.
func variant(c *series.Cell, cells []*series.Cell) string {
	p := c.First()
	words := []string{p.Transport}
	options := map[string]bool{}
	memory := false
	for _, other := range over(cells, p.Transport) {
		if other == c {
			continue
		}
		q := other.First()
		memory = memory || q.Memory != p.Memory
		for name := range both(p.Options, q.Options) {
			options[name] = options[name] || p.Options[name] != q.Options[name]
		}
	}
	if memory && p.Memory != "" {
		words = append(words, record.LookupFactor("memory").Say(p))
	}
	for _, name := range slices.Sorted(maps.Keys(options)) {
		if options[name] && p.Options[name] != "" {
			words = append(words, name+"="+p.Options[name])
		}
	}
	return strings.Join(words, " ")
}

// strata returns the launches of two cells by the states of the cores that both have, and whether
// both were measured. As in a comparison, a launch with several states counts in one of them, first
// in that with most launches.
func (r pairing) strata() (list []stats.Stratum, measured bool) {
	base, other := valuesOf(r.base), valuesOf(r.other)
	if len(slices.Concat(base[:]...)) == 0 || len(slices.Concat(other[:]...)) == 0 {
		return nil, false
	}
	var common []state.State
	for in := range state.Count {
		if in.Pair() != state.Changing && min(len(base[in]), len(other[in])) > 0 {
			common = append(common, in)
		}
	}
	slices.SortStableFunc(common, func(x, y state.State) int {
		return min(len(base[y]), len(other[y])) - min(len(base[x]), len(other[x]))
	})
	countedA, countedB := map[string]bool{}, map[string]bool{}
	for _, in := range common {
		list = append(list, stats.Stratum{A: notCounted(base[in], countedA), B: notCounted(other[in], countedB)})
	}
	return list, true
}

// ratio returns the ratio of two cells, and whether it has an interval. Its median is 0 if the
// cells have no state of the cores in common.
func (r pairing) ratio() (ratio stats.Interval, known bool) {
	strata, _ := r.strata()
	if len(strata) == 0 {
		return stats.Interval{}, false
	}
	shift := stats.NewShift(strata...)
	ratio, _ = shift.Ratio(stats.Level)
	return ratio, shift.MinP() < 1-stats.Level
}

// text returns the ratio of two cells within the states of the cores that both have, and whether it
// has an interval. It returns "" and true if one of them was not measured.
func (r pairing) text() (text string, known bool) {
	strata, measured := r.strata()
	if !measured {
		return "", true
	}
	if len(strata) == 0 {
		return inconclusive, false
	}
	ratio, known := r.ratio()
	if !known {
		return fmt.Sprintf("%s (%s)", times(ratio.Median), inconclusive), false
	}
	return fmt.Sprintf("%s (%s to %s)", times(ratio.Median), times(ratio.Lo), times(ratio.Hi)), true
}

// A launchValue is the main metric of a launch.
type launchValue struct {
	run   string
	value float64
}

// valuesOf returns the main metric of the launches of a cell by the state of the cores.
func valuesOf(c *series.Cell) (by [state.Count][]launchValue) {
	for in, points := range c.States {
		for _, p := range points {
			if v := p.Metrics.Median(series.Main(p.Metrics)); v > 0 {
				by[in] = append(by[in], launchValue{p.Run, v})
			}
		}
	}
	return by
}

// notCounted returns the values of the launches that are not in counted, and adds these.
func notCounted(list []launchValue, counted map[string]bool) (values []float64) {
	for _, l := range list {
		if !counted[l.run] {
			counted[l.run] = true
			values = append(values, l.value)
		}
	}
	return values
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
