package host

import "syscall"

// Usage counts the processor time and the context switches of processes.
type Usage struct {
	User     float64 `json:"user,omitempty"`     // seconds in the program
	System   float64 `json:"system,omitempty"`   // and in the kernel
	Switches float64 `json:"switches,omitempty"` // of context, voluntary and not
}

// Used returns what this process has used since its start, zero if the system does not tell.
func Used() Usage {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return Usage{}
	}
	return Usage{float64(u.Utime.Nano()) / 1e9, float64(u.Stime.Nano()) / 1e9, float64(u.Nvcsw) + float64(u.Nivcsw)}
}

// Add adds what another process or moment used, sign times.
func (u *Usage) Add(o Usage, sign float64) {
	u.User, u.System, u.Switches = u.User+sign*o.User, u.System+sign*o.System, u.Switches+sign*o.Switches
}
