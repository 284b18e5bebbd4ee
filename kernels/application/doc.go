// Package application is what the applications of gobench (package npb's kernels,
// package fdtd) have in common: what a rank is given to run with, how its time is
// split into phases, what it counts of its messages, and the threads within it.
//
// An application gets a *Rank. Its main goroutine alone communicates, over
// Rank.Comm. Around the parts of the timed region it calls
//
//	r.Timers.Enter(application.Exchange)   // from here on time is the exchange's
//	r.Profile.Sent(partner, 8*len(face))   // one message, in bytes
//	... messages ...
//	r.Timers.Enter(application.Compute)
//
// where Enter costs one reading of the clock and Sent a few additions: neither
// allocates nor locks. For a collective operation it calls r.Profile.Collective
// with the bytes that this rank puts in.
//
// The profile is what the application asks for, so it is the same over every
// transport and with every algorithm of the collectives.
//
// Loops that threads share go to Rank.Team, a pool that waits actively between
// them. After each iteration the application calls Step, which tells the progress
// and ends an interrupted run.
package application
