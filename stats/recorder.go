package stats

import (
	"fmt"
	"slices"
	"strings"

	hdrhistogram "github.com/HdrHistogram/hdrhistogram-go"
)

// A Recorder keeps the times of events. Up to its limit it keeps the start and the duration of
// each event exactly; after that it counts durations in a histogram of 3 significant digits.
// NewRecorder allocates all memory.
//
// A Recorder belongs to one goroutine.
type Recorder struct {
	starts []int64
	times  []int64
	n      int
	sum    int64 // of all durations, ns
	hist   *hdrhistogram.Histogram
}

// Bounds of the histogram, in ns, and its significant decimal digits.
const (
	histogramLowest  = 1
	histogramHighest = 3600e9
	histogramDigits  = 3
)

// NewRecorder returns a Recorder that keeps the first limit events exactly.
func NewRecorder(limit int) *Recorder {
	return &Recorder{
		starts: make([]int64, limit),
		times:  make([]int64, limit),
		hist:   hdrhistogram.New(histogramLowest, histogramHighest, histogramDigits),
	}
}

// Add records an event that began at start (ns, of internal/bench/clock) and took duration ns. It
// does not allocate and takes about 6 ns, beyond the limit 12 (BenchmarkRecorderAdd; call it after
// the clock has been read). The histogram counts a duration below 1 ns as 1 ns and one above an
// hour as an hour.
func (r *Recorder) Add(start, duration int64) {
	if i := r.n; i < len(r.times) {
		r.starts[i] = start
		r.times[i] = duration
	} else {
		r.hist.RecordValue(min(max(duration, histogramLowest), histogramHighest)) // cannot fail within the bounds
	}
	r.n++
	r.sum += duration
}

// Merge adds the events of another Recorder, which has the same limit and keeps them.
func (r *Recorder) Merge(from *Recorder) {
	counted, sum := from.n, from.sum // in its histogram
	for i, t := range from.Times() {
		r.Add(from.starts[i], t)
		counted, sum = counted-1, sum-t
	}
	r.hist.Merge(from.hist)
	r.n, r.sum = r.n+counted, r.sum+sum
}

// N returns the number of events recorded since the last Reset.
func (r *Recorder) N() int { return r.n }

// Exact reports whether every event is kept exactly, in order.
func (r *Recorder) Exact() bool { return r.n <= len(r.times) }

// Sampling returns how the events are kept, for the record: "exact" or "hdr".
func (r *Recorder) Sampling() string {
	if r.Exact() {
		return "exact"
	}
	return "hdr"
}

// Reset forgets all events and keeps the memory.
func (r *Recorder) Reset() { r.n, r.sum = 0, 0; r.hist.Reset() }

// Starts returns the start times, in ns, of the events that are kept exactly: the first ones in
// order, up to the limit. The slice is valid until the next Reset and must not be modified.
func (r *Recorder) Starts() []int64 { return r.starts[:min(r.n, len(r.times))] }

// Times returns the durations, in ns, of the events of Starts, under the same conditions.
func (r *Recorder) Times() []int64 { return r.times[:min(r.n, len(r.times))] }

// Seconds appends the durations of Times in seconds to dst.
func (r *Recorder) Seconds(dst []float64) []float64 {
	for _, t := range r.Times() {
		dst = append(dst, float64(t)/1e9)
	}
	return dst
}

// Summary summarises, in seconds, all events except the first drop ones, which must be among those
// kept exactly. If there are more events than the limit, percentiles come from the histogram;
// EffectiveN and modes come from the events kept exactly, with a warning.
func (r *Recorder) Summary(drop int) Summary {
	exact := r.Seconds(nil)
	drop = min(max(drop, 0), len(exact))
	if r.Exact() {
		return Summarize(exact[drop:])
	}
	s := Summarize(exact[drop:])
	all := r.hist.Clone()
	for _, t := range r.Times()[drop:] {
		all.RecordValue(min(max(t, histogramLowest), histogramHighest))
	}
	kept := len(exact) - drop
	share := 1.0
	if kept > 0 {
		share = float64(s.EffectiveN) / float64(kept)
	}
	s.N = int(all.TotalCount())
	sum := r.sum
	for _, t := range r.Times()[:drop] {
		sum -= t
	}
	s.Mean = float64(sum) / float64(s.N) / 1e9
	s.EffectiveN = max(1, int(share*float64(s.N)))
	s.Warnings = slices.DeleteFunc(s.Warnings, func(w string) bool { // of those kept exactly
		return w == noSamples || strings.HasPrefix(w, noInterval)
	})
	s.Warnings = append(s.Warnings, fmt.Sprintf(
		"more than %d events: percentiles are from a histogram of %d digits, autocorrelation and modes from the first %d events",
		len(r.times), histogramDigits, kept))
	s.order(func(rank int) float64 {
		return float64(all.ValueAtQuantile(100*float64(rank)/float64(s.N))) / 1e9
	}, MedianRanks)
	// The mean is exact and the least and the greatest are rounded: all three agree to the digits
	// of the histogram only.
	s.Mean = min(max(s.Mean, s.Min), s.Max)
	return s
}
