package importer

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gobench/record"
)

// scales are the units in which programs print values, relative to those of records.
var scales = []float64{1, 1e-9, 1e-6, 1e-3, 1e-2, 1e3, 1e6, 1e9, 1 << 10, 1 << 20, 1 << 30, 1e3 / 8, 1e6 / 8, 1e9 / 8, (1 << 20) / 8, 1.0 / 8}

// An oracle knows the numbers that a log contains.
type oracle struct {
	exact []float64 // sorted
	parts []number  // with their rounding, as they are printed
}

func newOracle(text string) *oracle {
	o := &oracle{}
	if words := strings.Fields(text); strings.Contains(text, ",") {
		text += strings.Join(ungrouped(words...), " ")
	}
	for len(text) > 0 {
		n := numberLength(text)
		if n == 0 {
			text = text[1:]
			continue
		}
		if part, ok := parse(text[:n]); ok {
			o.exact = append(o.exact, part.x)
			o.parts = append(o.parts, part)
		} else if x, err := strconv.ParseFloat(text[:n], 64); err == nil { // JSON has other exponents
			o.exact = append(o.exact, x)
		}
		text = text[n:]
	}
	slices.Sort(o.exact)
	return o
}

// numberLength returns the length of the number without a sign with which a text begins, 0 if it
// begins with none.
func numberLength(text string) int {
	digits := func(from int) int {
		for from < len(text) && isDigit(text[from]) {
			from++
		}
		return from
	}
	n := digits(0)
	if n < len(text) && text[n] == '.' && (n > 0 || digits(1) > 1) {
		n = digits(n + 1)
	}
	if n > 0 && n+1 < len(text) && (text[n] == 'e' || text[n] == 'E') {
		exponent := n + 1
		if text[exponent] == '-' || text[exponent] == '+' {
			exponent++
		}
		if end := digits(exponent); end > exponent {
			n = end
		}
	}
	return n
}

// has reports whether the log contains x, up to its unit.
func (o *oracle) has(x float64) bool {
	return slices.ContainsFunc(scales, func(s float64) bool { return o.printed(x/s, 1e-9*math.Abs(x/s)) })
}

// printed reports whether x is a number of the log, up to slack.
func (o *oracle) printed(x, slack float64) bool {
	i, _ := slices.BinarySearch(o.exact, x-slack)
	return i < len(o.exact) && o.exact[i] <= x+slack
}

// rounded reports whether x is within the rounding of a number of the log, in seconds or
// microseconds.
func (o *oracle) rounded(x float64) bool {
	return slices.ContainsFunc(o.parts, func(n number) bool { return n.times(1e-6).allows(x) || n.allows(x) })
}

// check reports numbers of points that are neither in the log nor computed from such ones.
func (o *oracle) check(t *testing.T, points []record.Point) {
	t.Helper()
	for i := range points {
		p := &points[i]
		if size := float64(p.Size); size != 0 && size != sockperfDefault && !o.has(size) && !o.has(size*float64(p.Ranks)) && !o.derivedSize(p) {
			t.Errorf("%s: the size %d is not in the log", p.Bench, p.Size)
		}
		for _, n := range []int{p.Window, p.QPs, p.Groups, p.MTU} {
			if n != 0 && n != osuDefault && !o.has(float64(n)) {
				t.Errorf("%s of %d B: %d is not in the log", p.Bench, p.Size, n)
			}
		}
		for key, v := range p.Metrics.All() {
			if !o.has(v.Median) && !o.derived(p, key, v.Median) {
				t.Errorf("%s of %d B: %s = %v is not in the log", p.Bench, p.Size, key, v.Median)
			}
			for _, x := range []float64{v.Mean, v.Lo, v.Hi, v.Min, v.P50, v.P90, v.P99, v.P999, v.Max} {
				if x != 0 && !o.has(x) && !(key == "half_rtt_s" && o.has(2*x)) && !(x == v.P50 && o.derived(p, key, x)) {
					t.Errorf("%s of %d B: %v of %s is not in the log", p.Bench, p.Size, x, key)
				}
			}
		}
	}
}

// derivedSize reports whether the size of a point is computed from numbers of the log: the bytes of
// all threads, of a word times those of an array, of uneven blocks, or a rate of bytes over one of
// messages or operations.
func (o *oracle) derivedSize(p *record.Point) bool {
	size := float64(p.Size)
	if p.Threads > 1 && o.has(size*float64(p.Threads)) {
		return true
	}
	if p.Bench == "alltoallv" { // the mean of blocks, rounded down
		slack := float64(p.Ranks-1) / 2
		if o.printed(size*float64(p.Ranks)+slack, slack) {
			return true
		}
	}
	if p.Size == sockperfDefault && strings.Contains(p.Method, sockperfFormat.name) {
		return true
	}
	rate, t := p.Metrics.Median("message_rate_per_s"), p.Metrics.Median("t_s")
	bandwidth := p.Metrics.Median("bandwidth_Bps")
	if rate > 0 && o.has(rate) && math.Abs(bandwidth/rate-size) < 0.5 {
		return true
	}
	if strings.Contains(p.Method, ucxFormat.name) && slices.ContainsFunc(o.parts, func(n number) bool {
		return slices.ContainsFunc(o.parts, func(m number) bool {
			whole, ok := quotient(n.times(1<<20), m)
			return ok && whole == p.Size
		})
	}) {
		return true
	}
	return slices.ContainsFunc(o.parts, func(n number) bool {
		return n.x > 0 && strings.HasPrefix(p.Bench, "stream_") && o.has(size/n.x) || t > 0 && math.Abs(n.x*1e6*t-size) < 0.5+1e-2*size
	})
}

// inverse reports whether the log contains 1/x, or the inverse of a time of two of them.
func (o *oracle) inverse(x float64) bool { return x > 0 && (o.has(1/x) || o.has(1/(2*x))) }

// sum reports whether x is the sum of two numbers of the log, in one unit.
func (o *oracle) sum(x float64) bool {
	return slices.ContainsFunc(scales, func(s float64) bool {
		return slices.ContainsFunc(o.exact, func(part float64) bool { return part > 0 && part < x/s && o.printed(x/s-part, 1e-9*x/s) })
	})
}

// derived reports whether a value is computed from numbers of the log: a bandwidth from the time or
// the message rate, a time from the bandwidth, a share from one that is out of its bounds, a time
// from two columns that both allow it.
func (o *oracle) derived(p *record.Point, key string, x float64) bool {
	v := p.Metrics.Get(key)
	switch {
	case key == "rtt_s" && o.inverse(x), key == "half_rtt_s" && (o.has(2*x) || o.inverse(x)), key == "message_rate_per_s" && o.inverse(x):
		return true
	case (key == "run_s" || key == "t_s") && v.N > 1 && o.sum(2*x): // the median of an even number
		return true
	case key == "bandwidth_Bps" && (p.Bench == "biband" && o.sum(x) || p.Size > 0 && o.has(float64(p.Size)/x)):
		return true
	}
	switch key {
	case "bandwidth_Bps":
		if rate := p.Metrics.Median("message_rate_per_s"); rate > 0 && near(x, rate*float64(p.Size)) {
			return true
		}
		for _, time := range []string{"half_rtt_s", "t_s"} {
			if t := p.Metrics.Median(time); t > 0 && math.Abs(x*t-float64(p.Amount)) < 1e-9*float64(p.Amount) && (o.has(t) || o.rounded(t) || o.sum(2*t)) {
				return true
			}
		}
	case "half_rtt_s", "t_s":
		b := p.Metrics.Median("bandwidth_Bps")
		return o.rounded(x) && b > 0 && math.Abs(x*b-float64(p.Amount)) < 1e-9*float64(p.Amount)
	case "overlap_ratio":
		return x == 0 || x == 1
	}
	return false
}
