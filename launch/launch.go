// Package launch starts the ranks of a job and waits for their end: as goroutines of this process
// (Goroutines, Nested), or as processes of this machine (Local). Package remote starts them on
// several hosts, with the same Spec and Result. A process that is a rank, of this program or of
// another launcher, finds its place by package rendezvous.
//
// A program that launches itself begins like this:
//
//	rank, err := rendezvous.FromEnv()
//	switch {
//	case err != nil: // this process was meant to be a rank, and cannot
//	case rank != nil: // this process is a rank: rank.Pin(), work, rank.Close()
//	default: // this process is the launcher: launch.Local(ctx, launch.Spec{Ranks: 2})
//	}
package launch
