package pairs

import "math"

// An Impact compares the messages of hosts that are measured without and with a load of others.
type Impact struct {
	Pattern string   `json:"pattern"`
	Loading []string `json:"loading"` // hosts
	// Interval is the time between the intended starts of small messages, in seconds, and Rate the
	// bytes per second that all hosts of the load have sent, mean of the repetitions.
	Interval float64  `json:"interval_s"`
	Rate     float64  `json:"load_Bps"`
	Factors  []Factor `json:"factors"` // how many times worse each value is with the load, by Judge
	Samples  int      `json:"samples"` // with the load
	Failed   int      `json:"failed"`  // samples with the load that have no result
	free     [][]Sample
	loaded   [][]Sample
}

// Add adds the samples of one repetition, of the same pairs and the same allreduce, without and
// with the load.
func (i *Impact) Add(free, loaded []Sample) {
	i.free, i.loaded = append(i.free, free), append(i.loaded, loaded)
	for _, s := range loaded {
		i.Samples++
		if s.Failed != "" {
			i.Failed++
		}
	}
}

// impacts lists the values of an Impact. Those of the mean and of 99 % are the congestion impact
// factors of GPCNeT (docs/sources.md).
var impacts = []struct {
	name string
	of   func(Sample) float64 // the larger the worse, 0 = not measured
}{
	{"median of half round trips", func(s Sample) float64 { return s.HalfRTT.Median }},
	{"mean of half round trips", func(s Sample) float64 { return s.HalfRTT.Mean }},
	{"99 % of half round trips", func(s Sample) float64 { return s.HalfRTT.P99 }},
	{"slowest half round trip", func(s Sample) float64 { return s.HalfRTT.Max }},
	{"median of allreduce", func(s Sample) float64 { return s.Allreduce.Median }},
	{"mean of allreduce", func(s Sample) float64 { return s.Allreduce.Mean }},
	{"99 % of allreduce", func(s Sample) float64 { return s.Allreduce.P99 }},
	{"time of large messages", func(s Sample) float64 { return inverse(s.Forth, s.Back) }},
	{"time of large messages both ways at once", func(s Sample) float64 { return inverse(s.Both) }},
}

// inverse returns one over the mean of rates, 0 if one is not measured.
func inverse(rates ...float64) float64 {
	sum := 0.0
	for _, r := range rates {
		if r <= 0 {
			return 0
		}
		sum += r
	}
	return float64(len(rates)) / sum
}

// Judge sets the factors, with their intervals over the repetitions.
func (i *Impact) Judge() {
	i.Factors = []Factor{}
	for _, m := range impacts {
		var differences []float64
		for rep := range i.free {
			sum, n := 0.0, 0
			for k, s := range i.free[rep] {
				t := i.loaded[rep][k]
				if a, b := m.of(s), m.of(t); s.Failed == "" && t.Failed == "" && a > 0 && b > 0 {
					sum += math.Log(b / a)
					n++
				}
			}
			if n > 0 {
				differences = append(differences, sum/float64(n))
			}
		}
		if e, ok := trimmed(differences); ok {
			i.Factors = append(i.Factors, e.factor(m.name))
		}
	}
}
