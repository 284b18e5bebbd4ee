package bench

// clockShare is the share of a sample that a reading of the clock may take without a warning
// (rule 1). Its cost is subtracted; what is left is its variation.
const clockShare = 0.05

// maxBatch bounds the events timed together.
const maxBatch = 1 << 16

// Events timed together over a quick transport, by the size of a message. A message of less than
// a microsecond is not much longer than a step of the clock.
const (
	smallTogether, smallSize   = 16, 1 << 10
	mediumTogether, mediumSize = 4, 8 << 10
)

// batch is the number of events of a cell that are timed together: one number for all
// algorithms, launches and programs, so that their times mean the same. It follows from the
// benchmark, the size and the kind of transport alone. It was chosen by the time of a trial
// before, and a collective was 2 to 13 times as fast in one launch as in the next.
//
// Only events may be timed together of which each depends on the one before, or which are
// defined as a loop (IMB's point-to-point patterns). A rooted collective that is done again and
// again overlaps with itself: its k operations take less than k times one. They are timed
// one by one; done back to back they have a metric of their own, throughput_Ops.
func (c *conductor) batch() int {
	b := c.cell.Bench
	loop := !b.Window && (!b.Collective || b.Chained || c.plan.Start == StartNone)
	switch {
	case c.plan.Skew.Kind != SkewNone:
		return 1 // ranks are late for the first event of a batch only
	case c.plan.Batch > 0:
		return c.plan.Batch
	case !loop || !c.ch.Info().Quick || c.cell.Size > mediumSize:
		return 1
	case c.cell.Size > smallSize:
		return mediumTogether
	}
	return smallTogether
}
