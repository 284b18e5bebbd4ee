package clock

import (
	"math"
	"slices"
)

// fit fits a line through offsets by least squares, weighted by their uncertainty. Offsets of
// disturbed exchanges, which are more than twice as uncertain as the best quarter, are ignored.
//
// If both clocks run at constant rates, the true offsets lie on a line, so the error of the fit is
// linear in time. At a measured point it is at most the distance of the point from the line plus
// half of its round trip. The largest of these is Width between the first and the last point;
// beyond them the error can grow at most as a line from -Width to +Width between them.
func fit(points []point) Model {
	halves := make([]float64, len(points))
	for i, p := range points {
		halves[i] = p.half
	}
	slices.Sort(halves)
	limit := 2 * halves[len(halves)/4]
	good := points[:0:0]
	for _, p := range points {
		if p.half <= limit {
			good = append(good, p)
		}
	}

	first, last := good[0], good[len(good)-1]
	m := Model{Base: last.at}
	var sum, sumT, sumO, sumTT, sumTO float64
	for _, p := range good {
		w := 1 / (p.half * p.half)
		t, o := float64(p.at-last.at), float64(p.offset-last.offset)
		sum, sumT, sumO = sum+w, sumT+w*t, sumO+w*o
		sumTT, sumTO = sumTT+w*t*t, sumTO+w*t*o
	}
	if d := sum*sumTT - sumT*sumT; d > 0 {
		m.Slope = (sum*sumTO - sumT*sumO) / d
	}
	m.Offset = last.offset + int64(math.Round((sumO-m.Slope*sumT)/sum))
	for _, p := range good {
		seen := math.Abs(float64(p.at + p.offset - m.Global(p.at)))
		m.Width = math.Max(m.Width, seen+p.half+1)
	}
	if span := float64(last.at - first.at); span > 0 {
		m.Growth = 2 * m.Width / span
	} else {
		m.Growth = maxRate
	}
	return m
}
