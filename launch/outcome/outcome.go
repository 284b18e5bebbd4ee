// Package outcome describes how the ranks of a job ended.
package outcome

import (
	"fmt"
	"os"
	"syscall"
)

// A Result describes the end of a job.
type Result struct {
	// ExitCode is the exit code of the job: 0 if all ranks returned 0, else that of the rank that
	// failed first; 1 if a signal ended that rank or the job was interrupted.
	ExitCode    int
	First       int       // the rank that failed first; -1 if none did
	Interrupted os.Signal // the first signal that was forwarded before a rank had failed; nil if there was none
	Ranks       []Status  // by rank
}

// An ExitError is the failure of the rank that failed first.
type ExitError struct{ Status }

func (e *ExitError) Error() string {
	if e.Lost != "" {
		return fmt.Sprintf("rank %d is lost: %v", e.Rank, e.Status)
	}
	return fmt.Sprintf("rank %d failed: %v", e.Rank, e.Status)
}

// Err returns an *ExitError for the rank that failed first, nil if none did.
func (r *Result) Err() error {
	if r.First < 0 {
		return nil
	}
	return &ExitError{r.Ranks[r.First]}
}

// A Status describes the end of one rank.
type Status struct {
	Rank, PID int
	Code      int            // exit code; -1 where a signal ended it
	Signal    syscall.Signal // that signal, else 0
	Why       string         // why the kernel sent that signal, where it is known
	Host      string         // name of the host as the user gave it; "" = this one
	Lost      string         // why its end is unknown: its host, or the connection to it, was lost
	Told      string         // its message about its failure (rendezvous.Rank.Tell), "" if there is none
	// Stopped reports that the launcher had sent SIGTERM or SIGKILL before the end, so that Code
	// and Signal are not a failure of the rank.
	Stopped bool
}

// Failed reports whether the rank ended with anything but exit code 0.
func (s Status) Failed() bool { return s.Code != 0 || s.Lost != "" }

// Taken reports whether a signal or the loss of its host ended the rank, which could not say why.
func (s Status) Taken() bool { return s.Signal != 0 || s.Lost != "" }

// String describes the end of the rank without its number, with what the rank has said about it:
// "process 4711 was killed by signal 9 (killed)".
func (s Status) String() string {
	if s.Lost != "" {
		return fmt.Sprintf("host %s: %s", s.Host, s.Lost)
	}
	on := ""
	if s.Host != "" {
		on = " on " + s.Host
	}
	if s.Signal != 0 {
		why := ""
		if s.Why != "" {
			why = ", because " + s.Why
		}
		return fmt.Sprintf("process %d%s was killed by signal %d (%v)%s", s.PID, on, int(s.Signal), s.Signal, why)
	}
	told := ""
	if s.Told != "" {
		told = ": " + s.Told
	}
	return fmt.Sprintf("process %d%s exited with code %d%s", s.PID, on, s.Code, told)
}
