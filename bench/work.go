package bench

import "math"

// Work is a computation on registers that takes a given time when nothing disturbs it.
// It is a number of steps and not a time, so that what is taken from the processor
// meanwhile is seen, as in IMB-NBC.
type Work struct {
	steps int
	state uint64
	spend func(ns int64) // where time is simulated, instead of steps
	time  int64          // ns
}

// Do computes, in so many equal parts (1 or more) with a call of between after each part
// but the last: a place for a program to look after its operations. A nil between is not called.
func (w *Work) Do(parts int, between func() error) error {
	for part := range parts {
		if part > 0 && between != nil {
			if err := between(); err != nil {
				return err
			}
		}
		w.compute(share(w.steps, part, parts))
		if w.spend != nil {
			w.spend(int64(share(int(w.time), part, parts)))
		}
	}
	return nil
}

// share is the part-th of so many parts of n, which add up to n.
func share(n, part, parts int) int { return n*(part+1)/parts - n*part/parts }

// compute runs steps that each need the one before.
func (w *Work) compute(steps int) {
	x := w.state
	for range steps {
		x = x*6364136223846793005 + 1442695040888963407 // Knuth's MMIX generator
	}
	w.state = x
}

const (
	workTrial = 200e3   // ns that a trial takes at least
	workMost  = 1 << 40 // steps
)

// newWork makes work that takes so many ns on this thread. The fastest of some trials
// counts, because a disturbed one would make it too short.
func newWork(ns float64, now func() int64, spend func(ns int64)) *Work {
	w := &Work{spend: spend, time: int64(math.Round(ns))}
	if spend != nil {
		return w
	}
	fastest := math.Inf(1) // ns per step
	steps := 1 << 12
	for trials := 0; trials < 5; {
		begin := now()
		w.compute(steps)
		took := float64(now() - begin)
		if took < workTrial && steps < workMost {
			steps *= 2
			continue
		}
		fastest = min(fastest, took/float64(steps))
		trials++
	}
	w.steps = int(min(ns/fastest, workMost))
	return w
}
