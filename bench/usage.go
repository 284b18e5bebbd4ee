package bench

import (
	"gobench/internal/bench/clock"
	"gobench/internal/launch/host"
	"gobench/record"
)

// usage holds what ranks used of the processors in timed blocks of a case. It is zero for ranks
// that share a process, and over a simulated network.
type usage struct {
	host.Usage
	Interrupts int64   `json:"interrupts,omitempty"` // from the begin of the case to the last of these blocks
	Elapsed    float64 `json:"elapsed,omitempty"`    // seconds
	Events     int64   `json:"events,omitempty"`

	// Of ranks that can count them.
	Cycles       int64 `json:"cycles,omitempty"`
	Instructions int64 `json:"instructions,omitempty"`
	Counted      int64 `json:"counted,omitempty"` // events
}

// read adds what this rank has used so far, sign times.
func (u *usage) read(r *rank, sign int64) {
	u.Cycles, u.Instructions = u.Cycles+sign*r.cycles.Read(), u.Instructions+sign*r.instructions.Read()
	u.Elapsed += float64(sign*r.now()) / 1e9
	u.Add(host.Used(), float64(sign))
}

// add adds what another rank or block used.
func (u *usage) add(o usage) {
	u.Add(o.Usage, 1)
	u.Interrupts, u.Elapsed, u.Events = u.Interrupts+o.Interrupts, u.Elapsed+o.Elapsed, u.Events+o.Events
	if o.Counted > 0 {
		u.Cycles, u.Instructions, u.Counted = u.Cycles+o.Cycles, u.Instructions+o.Instructions, u.Counted+o.Counted
	}
}

// spent runs a timed block of events and keeps what this rank used during it. Collectives that
// start together are left out: between their events the ranks wait, by polling. So are blocks
// behind verbWork, of which most compute.
func (r *rank) spent(c command) error {
	r.used = usage{}
	_, simulated := r.ch.(clock.Keeper)
	if simulated || r.current.collective() && r.gate.start != StartNone || r.phases[phaseOverlap] != nil || r.perProcess() > 1 || host.Used() == (host.Usage{}) {
		return r.events(c)
	}
	used := usage{Events: int64(c.Samples*c.Batch + c.Lead)}
	used.read(r, -1)
	err := r.events(c)
	used.read(r, +1)
	if used.Cycles > 0 && used.Instructions > 0 && r.current.threads() == 1 {
		used.Counted = used.Events
	}
	r.used = used
	return err
}

// served returns the interrupts of this rank's core since the last call, 0 if it is not pinned or
// has no usage of the last block. It is called at the begin of a case and behind its blocks only:
// on many cores it takes milliseconds.
func (r *rank) served() int64 {
	core := r.plan.core(r.ch.Rank())
	if core < 0 {
		return 0
	}
	before := r.interrupts
	r.interrupts = host.Interrupts(core)
	if r.used.Events == 0 {
		return 0
	}
	return r.interrupts - before
}

// record adds the cost of an event to a point: means over the ranks.
func (u *usage) record(p *record.Point) {
	if u.Events == 0 || u.Elapsed <= 0 {
		return
	}
	RecordUsage(p, u.User, u.System, u.Switches, u.Elapsed, u.Events)
	p.Interrupts = float64(u.Interrupts) / float64(u.Events)
	if u.Counted > 0 {
		p.Cycles, p.Instructions = float64(u.Cycles)/float64(u.Counted), float64(u.Instructions)/float64(u.Counted)
	}
}

// RecordUsage adds to a point what an iteration cost the processors, mean over the ranks. Its other
// arguments are sums over the ranks: seconds in the program and in the kernel, switches of context,
// elapsed seconds, and iterations.
func RecordUsage(p *record.Point, user, system, switches, elapsed float64, iterations int64) {
	n := float64(iterations)
	p.User, p.System, p.Switches = user/n, system/n, switches/n
	p.Busy = (user + system) / elapsed
	// Also 0: where the kernel counts in ticks, only the mean with all launches is right.
	p.Metrics.Set("processor_s", record.Value{Median: p.User + p.System, N: int(iterations), Statistic: record.Mean})
}
