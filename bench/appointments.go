package bench

import "fmt"

// mostLead is the longest time in ns from the announcement of a start to the start. Who
// is later than that was not on a core, and a longer time would not help.
const mostLead = 200e3

// keepAppointments looks at the block that was timed. Where ranks came too late for many
// announced starts, those to come are announced earlier. Where the way to start was left to
// the runner and most were late, because other programs use the cores as well,
// events start behind a barrier from now on: it returns true, and samples so far are of
// no use.
func (s *sampling) keepAppointments() (changed bool) {
	if !s.appoints() {
		return false
	}
	tried := len(s.spans.first)
	if late := tried - len(s.times); float64(late) > maxInvalid*float64(tried) {
		s.gate.lead = min(2*s.gate.lead, mostLead)
	}
	s.tried += tried
	if s.plan.Start != StartAuto || s.invalid < minLate || 2*s.invalid < s.tried {
		return false
	}
	s.useBarrier(s.tried)
	return true
}

// appoints reports whether starts are announced in the current cell.
func (c *conductor) appoints() bool { return c.cell.Bench.Collective && c.start == StartTime }

// useBarrier gives announced starts up after so many.
func (s *sampling) useBarrier(tried int) {
	s.warnings = append(s.warnings, fmt.Sprintf("ranks came too late for %d of %d announced starts: events start behind a barrier instead", s.invalid, tried))
	s.conductor.start, s.invalid = StartBarrier, 0
}
