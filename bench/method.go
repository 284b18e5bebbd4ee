package bench

import "fmt"

// method is the sentence under every table.
func (c *conductor) method(o *outcome) string {
	each := "timed individually"
	if o.batch > 1 {
		each = fmt.Sprintf("timed in batches of %d", o.batch)
	}
	if c.cell.Bench.Collective {
		each += c.beginnings(o)
	}
	formula := c.cell.Bench.Formula
	if c.cell.Bench.Collective && c.start == StartNone {
		formula = "t = time of one operation among many in a row; throughput = 1 / t"
	}
	return fmt.Sprintf("%s; median of %d samples after %d events of warm-up, %s; clock cost subtracted; nonparametric interval inside the launch; data of %d messages checked outside the timed region",
		formula, o.summary.N, o.warmUp, each, c.checked)
}

// beginnings says for people how the events of a collective begin, and on which clock they
// are timed.
func (c *conductor) beginnings(o *outcome) string {
	s := map[Start]string{
		StartBarrier: ", each sample behind a barrier of the runner",
		StartTime:    ", each sample from an announced time on",
		StartNone:    ", one after the other",
	}[c.start]
	if k := c.plan.Skew; k.Kind == SkewRandom {
		s += fmt.Sprintf(", each rank late by up to %v, which global counts from the first rank in", k.By)
	} else if k.Kind == SkewLate {
		s += fmt.Sprintf(", one rank in turn late by %v, which global counts from the first rank in", k.By)
	}
	if c.cell.groups() > 1 {
		s += fmt.Sprintf(", %d groups at once of which the slowest counts", c.cell.groups())
	}
	if o.clock > 0 {
		s += fmt.Sprintf(", on clocks synchronised to %.2g us (HCA3)", o.clock*1e6)
	}
	return s
}
