package bench

import (
	"syscall"

	"gobench/internal/launch/host"
	"gobench/record"
)

// usage holds what ranks used of the processors in timed blocks of a case. It is zero for ranks
// that are goroutines of one process, and over a simulated network.
type usage struct {
	User       float64 `json:"user,omitempty"`     // seconds of processor in the program
	System     float64 `json:"system,omitempty"`   // and in the kernel
	Switches   int64   `json:"switches,omitempty"` // of context, voluntary and not
	Interrupts int64   `json:"interrupts,omitempty"`
	Elapsed    float64 `json:"elapsed,omitempty"` // seconds
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
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) != nil {
		return
	}
	u.User += float64(sign*used.Utime.Nano()) / 1e9
	u.System += float64(sign*used.Stime.Nano()) / 1e9
	u.Switches += sign * (int64(used.Nvcsw) + int64(used.Nivcsw))
}

// add adds what another rank or block used.
func (u *usage) add(o usage) {
	u.User, u.System, u.Switches, u.Interrupts = u.User+o.User, u.System+o.System, u.Switches+o.Switches, u.Interrupts+o.Interrupts
	u.Elapsed, u.Events = u.Elapsed+o.Elapsed, u.Events+o.Events
	u.Cycles, u.Instructions, u.Counted = u.Cycles+o.Cycles, u.Instructions+o.Instructions, u.Counted+o.Counted
}

// spent runs a timed block of events and keeps what this rank used during it. Collectives that
// start together are left out: between their events the ranks wait, by polling.
func (r *rank) spent(c command) error {
	r.used = usage{}
	_, simulated := r.ch.(Timekeeper)
	if simulated || r.current.collective() && r.gate.start != StartNone || c.Phase > 0 || r.ch.Info().Ranks != "process" {
		return r.events(c)
	}
	used, core := usage{Events: int64(c.Samples*c.Batch + c.Lead)}, r.plan.core(r.ch.Rank())
	if core >= 0 {
		used.Interrupts -= host.Interrupts(core)
	}
	used.read(r, -1)
	err := r.events(c)
	used.read(r, +1)
	if core >= 0 {
		used.Interrupts += host.Interrupts(core)
	}
	if used.Cycles > 0 && used.Instructions > 0 && r.current.threads() == 1 {
		used.Counted = used.Events
	}
	r.used = used
	return err
}

// record adds the cost of an event to a point: means over the ranks.
func (u *usage) record(p *record.Point) {
	if u.Events == 0 || u.Elapsed <= 0 {
		return
	}
	n := float64(u.Events)
	p.User, p.System = u.User/n, u.System/n
	p.Switches, p.Interrupts = float64(u.Switches)/n, float64(u.Interrupts)/n
	p.Busy = (u.User + u.System) / u.Elapsed
	if u.User+u.System > 0 { // the kernel of some machines counts in ticks
		p.Metrics.Set("processor_s", record.Value{Median: p.User + p.System, N: int(u.Events), Statistic: record.Mean})
	}
	if u.Counted > 0 {
		p.Cycles, p.Instructions = float64(u.Cycles)/float64(u.Counted), float64(u.Instructions)/float64(u.Counted)
	}
}
