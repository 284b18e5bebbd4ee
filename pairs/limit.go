package pairs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gobench/internal/collect"
	"gobench/internal/lazyregexp"
	"gobench/nearest"
	"gobench/stats"
)

// A Limit is a condition on the values of each host, such as bandwidth < 0.8 x median.
type Limit struct {
	typed string
	of    func(Sample) float64 // of both hosts of a sample, 0 = not measured
	less  bool                 // the condition is met below the value, else above it
	value float64              // a factor of scale, or in seconds or bytes per second
	scale string               // "median" of all hosts, "bound" of the host's link, or ""
}

// limited are the values that a Limit has, by its words.
var limited = map[string]func(Sample) float64{
	"half_rtt":  func(s Sample) float64 { return s.HalfRTT.Median },
	"bandwidth": func(s Sample) float64 { return min(s.Forth, s.Back) },
	"both":      func(s Sample) float64 { return s.Both },
}

// unitsOfLimits are the units of limited, times in seconds and rates in bytes per second.
var unitsOfLimits = map[bool]map[string]float64{
	true:  {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9},
	false: {"B/s": 1, "kB/s": 1e3, "MB/s": 1e6, "GB/s": 1e9, "Mbit/s": 1e6 / 8, "Gbit/s": 1e9 / 8},
}

var limitText = lazyregexp.New(`^\s*([A-Za-z_]+)\s*([<>])\s*([0-9.]+)\s*(x\s+(?:median|bound)|[A-Za-z/]*)\s*$`)

// ParseLimit reads a condition METRIC < or > VALUE, which is a number with a unit, FACTOR x median,
// or FACTOR x bound: the rate of the host's link and PCIe slot.
func ParseLimit(text string) (Limit, error) {
	part := limitText.FindStringSubmatch(text)
	if part == nil {
		return Limit{}, fmt.Errorf("%q is no condition: want such as \"bandwidth < 0.8 x median\" or \"half_rtt > 20us\"", text)
	}
	l := Limit{typed: text, less: part[2] == "<"}
	if factor, ok := strings.CutPrefix(part[4], "x"); ok {
		l.scale = strings.TrimSpace(factor)
	}
	if l.of = limited[part[1]]; l.of == nil {
		return l, &nearest.UnknownError{What: "metric", Name: part[1], Known: sortedKeys(limited)}
	}
	var err error
	if l.value, err = strconv.ParseFloat(part[3], 64); err != nil {
		return l, fmt.Errorf("%q: %q is no number", text, part[3])
	}
	if l.scale == "bound" && part[1] != "bandwidth" {
		return l, fmt.Errorf("%q: only bandwidth has a bound: give a value, or FACTOR x median", text)
	}
	if units := unitsOfLimits[part[1] == "half_rtt"]; l.scale == "" {
		if units[part[4]] == 0 {
			return l, fmt.Errorf("%q: the value needs a unit, one of %s, or %q", text, strings.Join(sortedKeys(units), ", "), "x median")
		}
		l.value *= units[part[4]]
	}
	return l, nil
}

// Exceeding returns a remark for each host whose median over the survey meets a limit, and one for
// each that a limit cannot be judged on, because its facts have no bound.
func Exceeding(samples []Sample, facts []Facts, limits []Limit) (remarks, unjudged []Remark) {
	bounds := map[string]float64{}
	for _, f := range facts {
		bounds[f.Host] = f.Numbers[NumberBound]
	}
	for _, l := range limits {
		values := map[string][]float64{}
		for _, s := range samples {
			if v := l.of(s); s.Stage == Survey && s.Failed == "" && v > 0 {
				values[s.A], values[s.B] = append(values[s.A], v), append(values[s.B], v)
			}
		}
		hosts := sortedKeys(values)
		medians := collect.Each(hosts, func(host string) float64 { return stats.Median(values[host]) })
		middle := stats.Median(slices.Clone(medians))
		for i, host := range hosts {
			limit := l.value
			switch l.scale {
			case "median":
				limit *= middle
			case "bound":
				if limit *= bounds[host]; limit == 0 {
					unjudged = append(unjudged, Remark{Host: host, Text: fmt.Sprintf("%q cannot be judged: the rate of the link is not reported; give a value, or FACTOR x median", l.typed)})
					continue
				}
			}
			if m := medians[i]; m < limit && l.less || m > limit && !l.less {
				remarks = append(remarks, Remark{host, BeyondLimit, fmt.Sprintf("%q is true: it has %.4g, and the limit is %.4g", l.typed, m, limit), "compare it with a good host, or change the limit"})
			}
		}
	}
	return remarks, unjudged
}
