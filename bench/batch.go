package bench

import "math"

// Reading the clock may cost at most this share of a sample (rule 1). Batches
// are chosen for a little less, because events may turn out faster.
const (
	clockShare  = 0.05
	clockTarget = 0.04
)

// maxBatch bounds the events timed together.
const maxBatch = 1 << 16

// batchFor returns how many events, a power of two, are timed together so that
// one reading of the clock costs at most 4 % of a sample and a sample is at
// least ten steps of the clock long. cost, resolution and event are in
// seconds; event is the time of one event alone, 0 if it was too short to be
// seen.
func batchFor(cost, resolution, event float64) int {
	need := max(cost/clockTarget, 10*resolution)
	if need <= event {
		return 1
	}
	if event <= 0 {
		return maxBatch
	}
	k := math.Exp2(math.Ceil(math.Log2(need / event)))
	return int(min(k, maxBatch))
}
