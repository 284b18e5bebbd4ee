// Package application runs the applications of gobench (the kernels of package npb, package fdtd)
// and provides what they share: the communicator, threads, phase timers and message counters of a
// rank.
//
// An application gets a *Rank. Only its main goroutine communicates, over Rank.Comm. Around the
// parts of the timed region it calls
//
//	r.Timers.Begin(application.Exchange)   // time from here on counts as exchange
//	r.Profile.Sent(partner, 8*len(face))   // one message, in bytes
//	... messages ...
//	r.Timers.Begin(application.Compute)
//
// Begin costs one reading of the clock and Sent a few additions: neither allocates nor locks. For a
// collective operation the application calls r.Profile.Collective with the bytes that this rank
// contributes.
//
// The profile counts the operations that the application requests, so it does not depend on the
// transport or on the algorithms of collectives.
//
// Parallel loops run on Rank.Team, a pool of threads that spin between jobs. After each iteration
// the application calls Step, which publishes the progress and ends an interrupted run.
package application
