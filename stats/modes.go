package stats

import (
	"fmt"
	"math"
	"strconv"
)

// Modes are two modes of a sample with a valley between them. The zero Modes means that none were
// found.
type Modes struct {
	Low, High float64 // centres of the two densest places
	Depth     float64 // density of the thinner of the two over that of the valley
}

// Bounds of FindModes, chosen so that it finds modes in less than 1 of 100 unimodal samples
// (uniform is the hardest, as for the dip test); a test checks this.
const (
	modeShare  = 20   // a mode holds at least this fraction of the values (1/20)
	modeMin    = 8    // and at least this number of values
	modeDepth  = 2    // factor by which the valley is thinner than either mode, at least
	modeNoise  = 6.5  // and by this number of standard deviations of log density
	modeApart  = 1.25 // minimum ratio of the two modes: the median represents nearer ones well enough
	modeCoarse = 4    // ticks of a coarse clock that are smoothed over
)

// FindModes searches a sorted sample of positive values for two modes. It returns the zero Modes
// for a sample that is not positive, or too small.
//
// Method: m-spacings of the logarithms, that is, the widths of m neighbouring values. They decrease
// towards a mode and increase after it, so a wide spacing with narrower ones on both sides is a
// valley. The spacing must exceed both by the factor modeDepth and by more than chance explains
// (the logarithm of an m-spacing has a standard deviation of 1/sqrt(m)).
func FindModes(sorted []float64) Modes {
	n := len(sorted)
	m := max(modeMin, n/modeShare)
	if n < 4*m || sorted[0] <= 0 {
		return Modes{}
	}
	width := spacings(sorted, m)
	threshold := math.Log(max(modeDepth, math.Exp(modeNoise/math.Sqrt(float64(m)))))

	// left[i] is the start of the narrowest spacing that ends before i.
	left := make([]int, len(width))
	for i := range width {
		left[i] = -1
		if i >= m {
			left[i] = i - m
			if i > m && width[left[i-1]] <= width[i-m] {
				left[i] = left[i-1]
			}
		}
	}
	var found Modes
	best, right := threshold, -1
	for i := len(width) - 1; i >= 0; i-- {
		if j := i + m; j < len(width) && (right < 0 || width[j] < width[right]) {
			right = j
		}
		if right < 0 || left[i] < 0 {
			continue
		}
		low, high := sorted[left[i]+m/2], sorted[right+m/2]
		depth := math.Log(width[i] / max(width[left[i]], width[right]))
		if depth > best && high > low*modeApart {
			best = depth
			found = Modes{Low: low, High: high, Depth: math.Exp(depth)}
		}
	}
	return found
}

// spacings returns log(x[i+m]) - log(x[i]). With a coarse clock, equal values have a spacing of
// zero, so a few of its ticks are added to all.
func spacings(sorted []float64, m int) []float64 {
	tick := math.Inf(1)
	logs := make([]float64, len(sorted))
	for i, x := range sorted {
		logs[i] = math.Log(x)
		if i > 0 && sorted[i] > sorted[i-1] {
			tick = min(tick, logs[i]-logs[i-1])
		}
	}
	if math.IsInf(tick, 1) {
		tick = 1 // constant
	}
	width := make([]float64, len(sorted)-m)
	for i := range width {
		width[i] = logs[i+m] - logs[i] + modeCoarse*tick
	}
	return width
}

// Found reports whether there is more than one mode.
func (m Modes) Found() bool { return m.Depth > 0 }

// String returns a warning for readers. It does not depend on the unit of the sample.
func (m Modes) String() string {
	factor := strconv.FormatFloat(m.High/m.Low, 'f', 1, 64)
	if m.High/m.Low >= 10 {
		factor = strconv.FormatFloat(m.High/m.Low, 'f', 0, 64)
	}
	return fmt.Sprintf("multimodal sample (modes differ by a factor of %s): the median is not representative", factor)
}
