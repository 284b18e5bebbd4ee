package bench

import "gobench/device"

// maxBlock is the most samples of one block.
const maxBlock = 1 << 15

// timed is one rank's part of timed blocks.
type timed struct {
	now    func() int64  // ns, monotonic
	counts bool          // this rank reads the clock
	stamps []int64       // begin of the first sample, ends of all; of operations pairs
	own    device.Stamps // of an Op that is a Stamper
	event  uint64        // events of operations so far, for the skew
}

func newTimed(now func() int64) *timed {
	return &timed{now: now, stamps: make([]int64, 2*maxBlock)}
}

// block runs lead events, then samples times batch events and reads the clock
// after each batch, or has a Stamper do that: samples follow each other without a gap, each holds one
// reading. A rank that is not asked for times reads no clock.
//
// This is the timed region: nothing here allocates, locks or logs.
func (t *timed) block(op Op, samples, batch, lead int) error {
	if lead > 0 {
		if err := op.Do(lead); err != nil {
			return err
		}
	}
	if !t.counts {
		return op.Do(samples * batch)
	}
	now, stamps := t.now, t.stamps[:samples+1]
	if s, ok := op.(Stamper); ok {
		t.own.Begin(stamps[1:], batch, now)
		stamps[0] = now()
		return s.Stamp(&t.own)
	}
	stamps[0] = now()
	for i := 1; i < len(stamps); i++ {
		if err := op.Do(batch); err != nil {
			return err
		}
		stamps[i] = now()
	}
	return nil
}
