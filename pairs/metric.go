package pairs

import "math"

// A Kind is what is wrong with a host, a pair or a group.
type Kind string

// Kinds.
const (
	Delay        Kind = "delay"                 // small messages take longer
	Slow         Kind = "low bandwidth"         // in both directions
	SlowSend     Kind = "low bandwidth sending" // in one direction only
	SlowReceive  Kind = "low bandwidth receiving"
	SlowBoth     Kind = "low bandwidth both ways at once"
	Loss         Kind = "lost packets"
	Jitter       Kind = "jitter"
	LongLost     Kind = "long packets are lost" // an MTU black hole
	NoConnection Kind = "no connection"
	NoAnswer     Kind = "no answer"
	WrongData    Kind = "wrong data" // a message arrives changed
	Clock        Kind = "clock"
	BeyondLimit  Kind = "beyond a limit"               // of ParseLimit
	Look         Kind = "differs from the other hosts" // found without its partners
)

// A metric is a value of a sample whose logarithm is fitted, the larger the worse.
type metric struct {
	name      string
	kind      Kind // of a suspect
	symmetric bool
	threshold float64 // the smallest effect that is named, as a logarithm
	// of returns the values from A to B and from B to A, false where they are not measured. A
	// symmetric metric has the first only.
	of func(Sample) (forth, back float64, ok bool)
}

// ofPairs reports whether a metric is judged for pairs of good hosts: their own load disturbs the
// others most.
func ofPairs(k int) bool { return k != bothMetric && k != jitterMetric }

// usualFactor is the smallest factor of times and bandwidths that is named.
const usualFactor = 1.15

// lossScale makes one segment sent again in a thousand a factor of two.
const lossScale = 1000

// metrics lists them, that whose kind names a finding before the others first.
var metrics = []metric{
	{"segments sent again", Loss, true, math.Log(4), func(s Sample) (float64, float64, bool) {
		n := float64(2 * s.HalfRTT.N)
		return math.Log1p(lossScale * float64(s.Resent[0]+s.Resent[1]) / n), 0, n > 0
	}},
	{"half round trip", Delay, true, math.Log(usualFactor), func(s Sample) (float64, float64, bool) {
		return math.Log(s.HalfRTT.Median), 0, s.HalfRTT.Median > 0
	}},
	{"bandwidth", Slow, false, math.Log(usualFactor), func(s Sample) (float64, float64, bool) {
		return -math.Log(s.Forth), -math.Log(s.Back), s.Forth > 0 && s.Back > 0
	}},
	{"bandwidth both ways at once", SlowBoth, true, math.Log(1.5), func(s Sample) (float64, float64, bool) {
		return -math.Log(s.Both), 0, s.Both > 0
	}},
	{"99 % of half round trips", Jitter, true, math.Log(4), func(s Sample) (float64, float64, bool) {
		return math.Log(s.HalfRTT.P99), 0, s.HalfRTT.P99 > 0
	}},
}

// fastest replaces the half round trip where other programs take part of the cores. A process that
// waits for its core makes the median longer, and no message faster than the network is.
var fastest = metric{"fastest half round trip", Delay, true, math.Log(usualFactor), func(s Sample) (float64, float64, bool) {
	return math.Log(s.HalfRTT.Min), 0, s.HalfRTT.Min > 0
}}

// Numbers of metrics.
const (
	lossMetric = iota
	delayMetric
	rateMetric
	bothMetric
	jitterMetric
)

// direction is a side of a host in a directed metric.
type direction int

const (
	out direction = iota // also of a symmetric metric
	in
)
