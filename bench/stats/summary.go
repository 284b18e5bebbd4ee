// Package stats computes numbers about samples of measured times: order
// statistics, the interval of the median, warm-up, stopping. It imports
// nothing of gobench, and it never computes a mean of measurements.
package stats

// Summary describes a sample by its order statistics, in the unit of the
// sample. Statistics are absent (zero) where N is 0.
type Summary struct {
	N          int // values in the sample
	EffectiveN int // independent values that would carry as much information (see EffectiveN)

	Min, P50, P90, P99, P999, Max float64

	// Lo and Hi bound the median at level Confidence, by order statistics of
	// the sample for EffectiveN values. Both are zero where the sample is too
	// small for the level (fewer than 6 effective values).
	Lo, Hi     float64
	Confidence float64 // the level attained by whole ranks: at least 0.95, or 0 without interval

	Warnings []string // what a reader of the numbers should know
}

// Summarize describes samples, which are in the order in which they were
// taken (autocorrelation depends on it). samples is not modified.
//
// Values that are not finite make the sample useless: the result has N = 0 and
// a warning that says so.
func Summarize(samples []float64) Summary { return Summary{} }
