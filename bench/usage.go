package bench

import (
	"syscall"
	"time"

	"gobench/record"
)

// usage holds what ranks used of the processors in timed blocks of a case. It is zero for ranks
// that are goroutines of one process, and over a simulated network.
type usage struct {
	User     float64 `json:"user,omitempty"`     // seconds of processor in the program
	System   float64 `json:"system,omitempty"`   // and in the kernel
	Switches int64   `json:"switches,omitempty"` // of context, voluntary and not
	Elapsed  float64 `json:"elapsed,omitempty"`  // seconds
	Events   int64   `json:"events,omitempty"`
}

// usageNow returns what this process has used so far.
func usageNow() usage {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return usage{}
	}
	seconds := func(t syscall.Timeval) float64 { return time.Duration(t.Nano()).Seconds() }
	return usage{User: seconds(r.Utime), System: seconds(r.Stime), Switches: int64(r.Nvcsw) + int64(r.Nivcsw)}
}

// add adds what a rank used between two times.
func (u *usage) add(o usage) {
	u.User, u.System, u.Switches = u.User+o.User, u.System+o.System, u.Switches+o.Switches
	u.Elapsed, u.Events = u.Elapsed+o.Elapsed, u.Events+o.Events
}

// spent runs a timed block of events and keeps what this rank's process used during it.
func (r *rank) spent(c command) error {
	r.used = usage{}
	_, simulated := r.ch.(Timekeeper)
	if simulated || r.current.collective() || c.Phase > 0 || r.ch.Info().Ranks != "process" {
		return r.events(c)
	}
	before, begin := usageNow(), r.now()
	err := r.events(c)
	r.used = usageNow()
	r.used.add(usage{-before.User, -before.System, -before.Switches, float64(r.now()-begin) / 1e9, int64(c.Samples*c.Batch + c.Lead)})
	return err
}

// record adds the cost of an event to a point: means over the ranks.
func (u *usage) record(p *record.Point) {
	if u.Events == 0 || u.Elapsed <= 0 {
		return
	}
	n := float64(u.Events)
	p.User, p.System, p.Switches = u.User/n, u.System/n, float64(u.Switches)/n
	p.Busy = (u.User + u.System) / u.Elapsed
}
