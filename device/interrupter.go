package device

import "fmt"

// An Interrupter is a Channel whose waits another goroutine can end. A rank that must end cannot
// rely on its peers: one may be stopped by a signal, or wait for something that never comes.
type Interrupter interface {
	// Interrupt makes blocking calls, the one under way and later ones, return an
	// *InterruptedError with cause, within some hundred milliseconds. Close no longer waits for
	// peers then. Interrupt may be called by any goroutine, at any time, and does not block; only
	// the first call counts.
	Interrupt(cause error)
}

// An InterruptedError is returned by operations of a Channel after Interrupt.
type InterruptedError struct {
	Rank  int    // the peer that was awaited; -1 = none, or any
	Host  string // of that peer, if the job has several hosts
	Cause error  // argument of Interrupt
}

func (e *InterruptedError) Error() string {
	if e.Rank < 0 {
		return fmt.Sprintf("interrupted: %v", e.Cause)
	}
	return fmt.Sprintf("interrupted while waiting for %s: %v", RankName(e.Rank, e.Host), e.Cause)
}

func (e *InterruptedError) Unwrap() error { return e.Cause }
