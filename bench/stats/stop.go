package stats

import "math"

// MinSamples is the least number of samples of a result.
const MinSamples = 30

// NextCheck returns the number of samples at which the precision is checked after n samples: 30,
// 45, 68, 102, ... Checking at geometric distances bounds how often a measurement ends too early by
// chance.
func NextCheck(n int) int {
	check := MinSamples
	for check <= n {
		check = (check*3 + 1) / 2
	}
	return check
}

// Width returns half of the interval of the median relative to the median: 0.02 means that the
// median is known to 2 %. It is +Inf without an interval.
func (s Summary) Width() float64 {
	if s.Confidence == 0 || s.P50 == 0 {
		return math.Inf(1)
	}
	return (s.Hi - s.Lo) / 2 / math.Abs(s.P50)
}

// Precise is the stopping rule: at least MinSamples samples, and both ends of
// the interval within rel of the median.
func Precise(s Summary, rel float64) bool {
	if s.N < MinSamples || s.Confidence == 0 {
		return false
	}
	room := rel * math.Abs(s.P50)
	return s.Hi-s.P50 <= room && s.P50-s.Lo <= room
}
