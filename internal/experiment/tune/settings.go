package tune

import (
	"math"
	"slices"

	"gobench/internal/bench/state"
	"gobench/record"
	"gobench/stats"
)

// A Trial holds the points of one launch with a value of an option.
type Trial struct {
	Value  string
	Points []record.Point
}

// An Effect holds the effect of a value of an option at one distance of the cores: the time with
// the value divided by that with the default, as the geometric mean over messages, with median and
// interval over rounds.
type Effect struct {
	Value string
	Far   bool
	Ratio record.Value // with an interval only if there were enough rounds
}

// minGain is the ratio of times below which a value replaces the default: two measurements on one
// machine may differ by 3 %.
const minGain = 0.97

// ChooseValue returns the value of an option to use, and the effects of all values except the
// default. Each round has one trial of every value. A value replaces the default if it is
// significantly faster at one distance, by more than minGain allows, and significantly slower at
// none.
func ChooseValue(usual string, rounds [][]Trial) (chosen string, effects []Effect) {
	var values []string
	var scale state.Scale
	for _, round := range rounds {
		for _, t := range round {
			for i := range t.Points {
				scale.AddPoint(&t.Points[i])
			}
			if t.Value != usual && !slices.Contains(values, t.Value) {
				values = append(values, t.Value)
			}
		}
	}
	chosen = usual
	smallest := minGain
	for _, value := range values {
		faster, slower := 1.0, false
		for _, far := range []bool{false, true} {
			var ratios []float64
			for _, round := range rounds {
				if r, ok := ratio(round, value, usual, far, scale); ok {
					ratios = append(ratios, r)
				}
			}
			if len(ratios) == 0 {
				continue
			}
			e := Effect{value, far, interval(ratios)}
			effects = append(effects, e)
			if e.Ratio.Confidence > 0 {
				slower = slower || e.Ratio.Lo > 1
				if e.Ratio.Hi < 1 {
					faster = min(faster, e.Ratio.Median)
				}
			}
		}
		if !slower && faster < smallest {
			chosen, smallest = value, faster
		}
	}
	return chosen, effects
}

// interval returns the median of ratios with its 95 % interval. It sorts ratios.
func interval(ratios []float64) record.Value {
	slices.Sort(ratios)
	n := len(ratios)
	v := record.Value{Median: stats.Quantile(ratios, 0.5), N: n}
	if lo, hi, level := stats.MedianRanks(n, 0.95); lo > 0 {
		v.Lo, v.Hi, v.Confidence = ratios[lo-1], ratios[hi-1], level
	}
	return v
}

// ratio returns the geometric mean of the ratios of times with value and usual in one round, over
// the messages that both trials measured at this distance and in the same state of the cores. It
// returns false if there are none.
func ratio(round []Trial, value, usual string, far bool, scale state.Scale) (float64, bool) {
	type message struct {
		size   int64
		memory string
	}
	type timing struct {
		time float64
		in   state.State
	}
	times := map[string]map[message]timing{}
	for _, t := range round {
		found := map[message]timing{}
		for _, p := range t.Points {
			if at, known := isFar(&p); !known || at != far {
				continue
			}
			m := message{p.Size, p.Memory}
			if _, ok := found[m]; !ok { // the first of several states lasted longest
				found[m] = timing{p.Metrics.Median("half_rtt_s"), scale.OfPoint(&p)}
			}
		}
		times[t.Value] = found
	}
	sum, n := 0.0, 0
	for m, base := range times[usual] {
		if t := times[value][m]; t.time > 0 && base.time > 0 && t.in == base.in {
			sum += math.Log(t.time / base.time)
			n++
		}
	}
	return math.Exp(sum / float64(max(1, n))), n > 0
}

// farDistance is the core-to-core latency in seconds above which transports treat cores as far.
const farDistance = 120e-9

// isFar reports whether the cores were far during a point. known is false if that changed. A cell
// in which it changed between blocks has a point for each state, with the distance of that state.
func isFar(p *record.Point) (far, known bool) {
	if p.StateDistance > 0 || p.StateShare > 0 {
		return p.StateDistance > farDistance, p.StateDistance > 0
	}
	before, after := p.DistanceBefore > farDistance, p.DistanceAfter > farDistance
	return before, before == after
}
