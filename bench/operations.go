package bench

// Operations of all ranks, collectives, have two times (rule 10): global, from the
// first rank in to the last rank out on the common clock, and local, the longest
// that any rank was in. Every rank reads the clock before and after each sample,
// so its stamps are pairs. A begin below zero marks a sample for which this rank
// came too late.

// operations runs lead events, then samples of batch events each behind the gate.
//
// This is the timed region: nothing here allocates, locks or logs.
func (t *timed) operations(op Op, g *gate, skew Skew, samples, batch, lead int) error {
	if lead > 0 {
		if err := op.Do(lead); err != nil {
			return err
		}
	}
	now, rank, ranks := t.now, g.ch.Rank(), g.ch.Size()
	for i := range samples {
		inTime, err := g.pass()
		if err != nil {
			return err
		}
		t.event++
		if d := skew.delay(rank, ranks, t.event); d > 0 {
			for until := now() + d; now() < until; {
			}
		}
		pair := (*[2]int64)(t.stamps[2*i:])
		if g.start == StartNone && i > 0 {
			pair[0] = t.stamps[2*i-1]
		} else {
			pair[0] = now()
		}
		if err := op.Do(batch); err != nil {
			return err
		}
		pair[1] = now()
		if !inTime {
			pair[0] = -pair[0]
		}
	}
	return nil
}
