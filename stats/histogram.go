package stats

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"gobench/internal/collect"
)

// A Histogram counts times in classes of equal ratio, so that those of several launches can be
// added. Class i begins at 2^(i/16) ns, and the first one at 0: a quantile is wrong by at most
// 2.2 %, half a class.
type Histogram [classes]int64

// Classes of an octave, and of all times up to histogramHighest.
const (
	perOctave = 16
	classes   = 42 * perOctave
)

// Histogram returns the counts of all events since the last Reset, with their times multiplied by
// scale.
func (r *Recorder) Histogram(scale float64) *Histogram {
	h := new(Histogram)
	for _, t := range r.Times() {
		h.add(float64(t)*scale, 1)
	}
	if !r.Exact() {
		for _, b := range r.hist.Distribution() {
			h.add(float64(b.From+b.To)/2*scale, b.Count)
		}
	}
	return h
}

func (h *Histogram) add(ns float64, n int64) {
	class := perOctave * math.Log2(max(ns, 1))
	h[int(min(class, classes-1))] += n
}

// N returns the number of events.
func (h *Histogram) N() (n int64) {
	for _, count := range h {
		n += count
	}
	return n
}

// String returns the counts as text: base64 of pairs of varints, for each class with events its
// distance from the one before and its count.
func (h *Histogram) String() string {
	var b []byte
	last := 0
	for i, n := range h {
		if n > 0 {
			b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(i-last)), uint64(n))
			last = i
		}
	}
	return base64.RawStdEncoding.EncodeToString(b)
}

// ParseHistogram is the inverse of String.
func ParseHistogram(s string) (*Histogram, error) {
	b, err := base64.RawStdEncoding.DecodeString(s)
	if err != nil {
		return nil, err
	}
	h, at := new(Histogram), uint64(0)
	for len(b) > 0 {
		step, n := binary.Uvarint(b)
		count, m := binary.Uvarint(b[max(n, 0):])
		if n <= 0 || m <= 0 || count == 0 || step >= classes || at+step >= classes || h[at] > 0 && step == 0 || count > math.MaxInt32<<16 {
			return nil, errors.New("not a histogram")
		}
		at += step
		h[at] += int64(count)
		b = b[n+m:]
	}
	return h, nil
}

// resamples is the number of resamples of launches from which the interval of a quantile comes.
const resamples = 1000

// maxPooled bounds memory and time of PooledQuantiles.
const maxPooled = 512

// halved adds each two neighbours.
func halved(launches []*Histogram) (half []*Histogram) {
	for pair := range slices.Chunk(launches, 2) {
		sum := new(Histogram)
		for _, h := range pair {
			for class, n := range h {
				sum[class] += n
			}
		}
		half = append(half, sum)
	}
	return half
}

// PooledQuantiles returns quantiles in seconds of the events of all launches together. Their bounds
// are the least and the greatest quantile of a launch, or, with resample, the 95 % interval of the
// percentile bootstrap, which resamples launches and not events, because those of a launch resemble
// each other (Davison and Hinkley 1997, 3.8). Equal launches give equal intervals.
//
// Of more than maxPooled launches, neighbours are added until they are fewer.
func PooledQuantiles(launches []*Histogram, quantiles []float64, resample bool) []Interval {
	for len(launches) > maxPooled {
		launches = halved(launches)
	}
	below := make([][classes]int64, len(launches)) // events of each launch up to a class
	every := collect.Range(len(launches))
	for i, h := range launches {
		sum := int64(0)
		for j, n := range h {
			sum += n
			below[i][j] = sum
		}
	}
	quantile := func(q float64, chosen ...int) float64 {
		upTo := func(class int) (sum int64) {
			for _, i := range chosen {
				sum += below[i][class]
			}
			return sum
		}
		rank := int64(math.Ceil(q * float64(upTo(classes-1))))
		class := sort.Search(classes-1, func(class int) bool { return upTo(class) >= rank })
		return math.Exp2((float64(class)+0.5)/perOctave) / 1e9
	}
	bounds := make([][]float64, len(quantiles))
	add := func(chosen ...int) {
		for i, q := range quantiles {
			bounds[i] = append(bounds[i], quantile(q, chosen...))
		}
	}
	cut := 0
	if resample {
		random := rand.New(rand.NewPCG(1, uint64(len(launches))))
		chosen := make([]int, len(launches))
		for range resamples {
			for i := range chosen {
				chosen[i] = random.IntN(len(launches))
			}
			add(chosen...)
		}
		cut = resamples * 25 / 1000
	} else {
		for i := range launches {
			add(i)
		}
	}
	list := make([]Interval, len(quantiles))
	for i, q := range quantiles {
		slices.Sort(bounds[i])
		list[i] = Interval{Median: quantile(q, every...), Lo: bounds[i][cut], Hi: bounds[i][len(bounds[i])-1-cut]}
	}
	return list
}
