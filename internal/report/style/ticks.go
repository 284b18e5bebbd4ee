package style

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// SizeTicks labels a Sizes scale: 0, 1 B, 4 KiB, ... It labels the sizes of Values if they are few,
// otherwise every second, third, ... power of two, at most Labels in all.
type SizeTicks struct {
	Scale  Sizes
	Labels int
	Values []float64 // sorted
}

// fewSizes is the number of sizes up to which those are labelled.
const fewSizes = 8

// Ticks implements plot.Ticker.
func (s SizeTicks) Ticks(lo, hi float64) []plot.Tick {
	var ticks []plot.Tick
	if s.Scale.Zero {
		ticks = append(ticks, plot.Tick{Value: 0, Label: "0"})
	}
	if len(s.Values) > 0 && len(s.Values) <= fewSizes {
		room := math.Inf(-1) // where the next label may be
		for _, v := range s.Values {
			if v < max(s.Scale.Smallest, lo) || v > hi {
				continue
			}
			t := plot.Tick{Value: v}
			if at := s.Scale.Normalize(lo, hi, v); at >= room {
				t.Label = Size(int64(v))
				room = at + 0.95/float64(s.Labels)
			}
			ticks = append(ticks, t)
		}
		return ticks
	}
	first := int(math.Ceil(math.Log2(max(s.Scale.Smallest, lo)) - 1e-9))
	last := int(math.Floor(math.Log2(hi) + 1e-9))
	every := 1
	for _, every = range []int{1, 2, 3, 4, 5, 10} {
		if (last-first)/every < s.Labels {
			break
		}
	}
	for power := first; power <= last; power++ {
		t := plot.Tick{Value: math.Exp2(float64(power))}
		// Labels are at the same sizes in every figure.
		if power%every == 0 {
			t.Label = Size(int64(t.Value))
		}
		ticks = append(ticks, t)
	}
	return ticks
}

// Size formats bytes for an axis, in the largest unit in which the number is exact and short: 0 B,
// 8 B, 64 KiB, 65535 B. Different sizes have different texts.
func Size(n int64) string {
	const short = len("1.125")
	for i := len(binary) - 1; i > 0; i-- {
		unit := int64(1) << (10 * i)
		if text := strconv.FormatFloat(float64(n)/float64(unit), 'f', -1, 64); n >= unit && len(text) <= short {
			return text + " " + binary[i]
		}
	}
	return fmt.Sprintf("%d B", n)
}

var binary = []string{"B", "KiB", "MiB", "GiB", "TiB"}

// Decades labels a logarithmic axis at powers of ten, with 2 and 5 between them if there are few
// decades.
type Decades struct{}

// Ticks implements plot.Ticker.
func (Decades) Ticks(lo, hi float64) []plot.Tick {
	if lo <= 0 || hi <= lo {
		return nil
	}
	decades := math.Log10(hi / lo)
	if decades < 0.7 {
		return Linear{}.Ticks(lo, hi) // 1, 2 and 5 would be one or two labels
	}
	every := int(math.Ceil(decades / 7))
	var ticks []plot.Tick
	for power := int(math.Floor(math.Log10(lo))); power <= int(math.Ceil(math.Log10(hi))); power++ {
		for digit := 1.0; digit < 10; digit++ {
			v := digit * math.Pow(10, float64(power))
			if v < lo*(1-1e-9) || v > hi*(1+1e-9) {
				continue
			}
			t := plot.Tick{Value: v}
			switch {
			case digit == 1 && power%every == 0,
				decades < 2.2 && (digit == 2 || digit == 5),
				decades < 3.2 && digit == 3:
				t.Label = Number(v)
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// Linear labels an axis at about six round numbers.
type Linear struct{}

// Ticks implements plot.Ticker.
func (Linear) Ticks(lo, hi float64) []plot.Tick {
	if !(hi > lo) || math.IsInf(hi-lo, 0) {
		return nil
	}
	step := math.Pow(10, math.Floor(math.Log10((hi-lo)/5)))
	for _, f := range []float64{1, 2, 5, 10} {
		if (hi-lo)/(step*f) <= 6.5 {
			step *= f
			break
		}
	}
	if max(math.Abs(lo), math.Abs(hi))/step >= 1<<53 {
		return nil // the next multiple of the step is not a float64
	}
	var ticks []plot.Tick
	for i := math.Ceil(lo/step - 1e-9); i*step <= hi+step*1e-9; i++ {
		v := i * step
		ticks = append(ticks, plot.Tick{Value: v, Label: Number(math.Round(v/step*1e6) / 1e6 * step)})
	}
	return ticks
}

// Counts has a label at each of Values, numbers of ranks.
type Counts struct {
	Values []float64
	Names  map[float64]string // follow a number in brackets, nil = none
}

// Ticks implements plot.Ticker.
func (c Counts) Ticks(lo, hi float64) []plot.Tick {
	var ticks []plot.Tick
	for _, v := range c.Values {
		if v < lo || v > hi {
			continue
		}
		t := plot.Tick{Value: v, Label: Number(v)}
		if name := c.Names[v]; name != "" {
			t.Label += " (" + name + ")"
		}
		ticks = append(ticks, t)
	}
	return ticks
}

// Percentiles labels a logarithmic axis of 1/(1-p), on which equal steps are equal numbers of
// nines.
type Percentiles struct{}

// Ticks implements plot.Ticker.
func (Percentiles) Ticks(lo, hi float64) (ticks []plot.Tick) {
	for _, x := range []float64{2, 10, 100, 1e3, 1e4, 1e5, 1e6} {
		if lo <= x && x <= hi {
			ticks = append(ticks, plot.Tick{Value: x, Label: Percentile(x)})
		}
	}
	return ticks
}

// Percentile formats the share of events of which one in x is slower: "99.9 %".
func Percentile(x float64) string { return strconv.FormatFloat(100-100/x, 'f', -1, 64) + " %" }

// Names labels the positions 0, 1, 2, ... of an axis of categories.
type Names []string

// Ticks implements plot.Ticker.
func (n Names) Ticks(_, _ float64) []plot.Tick {
	ticks := make([]plot.Tick, len(n))
	for i, name := range n {
		ticks[i] = plot.Tick{Value: float64(i), Label: name}
	}
	return ticks
}

// Number formats a number with at most four significant digits, from 10 000 to 10^7 as a whole
// number. From 10 000 on, thousands are separated. Only extreme numbers have an exponent.
func Number(v float64) string {
	a := math.Abs(v)
	if a == 0 {
		return "0" // and not -0
	}
	if a >= 1e15 || a < 1e-9 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	if a >= 1e7 { // further digits are not significant
		v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'e', 3, 64), 64)
	}
	if a >= 10000 {
		s := strconv.FormatFloat(math.Abs(math.Round(v)), 'f', 0, 64)
		for i := len(s) - 3; i > 0; i -= 3 {
			s = s[:i] + " " + s[i:]
		}
		if v < 0 {
			s = "-" + s
		}
		return s
	}
	s := strconv.FormatFloat(v, 'f', digits(a), 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// digits returns the number of decimals that leaves four significant digits.
func digits(a float64) int {
	return max(0, 3-int(math.Floor(math.Log10(a))))
}

// LinearSizes labels a linear axis of message sizes at multiples of a power of two.
type LinearSizes struct{}

// Ticks implements plot.Ticker.
func (LinearSizes) Ticks(lo, hi float64) (ticks []plot.Tick) {
	if !(hi > lo) || math.IsInf(hi-lo, 0) {
		return nil
	}
	step := math.Max(1, math.Exp2(math.Ceil(math.Log2((hi-lo)/6))))
	for v := math.Ceil(lo/step) * step; v <= hi; v += step {
		ticks = append(ticks, plot.Tick{Value: v, Label: Size(int64(v))})
	}
	return ticks
}

// Log is a logarithmic scale. Values without a logarithm are drawn at the lower end, so that
// drawing never fails.
type Log struct{}

// Normalize implements plot.Normalizer.
func (Log) Normalize(lo, hi, x float64) float64 {
	if lo <= 0 || hi <= lo {
		return 0
	}
	if x <= lo {
		return 0
	}
	return math.Log(x/lo) / math.Log(hi/lo)
}

// Sizes is a logarithmic scale for message sizes. Empty messages have a separate position left of
// the axis.
type Sizes struct {
	Zero     bool    // there are empty messages
	Smallest float64 // the smallest other size
}

// zeroDistance is the distance of empty messages from Smallest, in powers of two.
const zeroDistance = 1.7

// position returns the position of a size, in powers of two.
func (s Sizes) position(x float64) float64 {
	if x <= 0 {
		return math.Log2(s.Smallest) - zeroDistance
	}
	return math.Log2(x)
}

// Normalize implements plot.Normalizer.
func (s Sizes) Normalize(lo, hi, x float64) float64 {
	a, b := s.position(lo), s.position(hi)
	return (s.position(x) - a) / (b - a)
}

// Zeroth returns the size at the position of empty messages.
func (s Sizes) Zeroth() float64 { return math.Exp2(s.position(0)) }
