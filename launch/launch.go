// Package launch starts the ranks of a job. It provides each with its rank, the number of ranks,
// and an exchange of data with the others before a transport is open.
//
// Goroutines runs the ranks inside this process. Local forks them on this machine by executing this
// program again; FromEnv makes such a process a rank. NewCluster runs jobs on several hosts. Join
// makes the processes of another launcher (mpiexec, mpirun, srun and so on) the ranks of a job;
// each launcher is one entry of the list in detect.go.
//
// A program that launches itself begins like this:
//
//	rank, err := launch.FromEnv()
//	switch {
//	case err != nil: // this process was meant to be a rank, and cannot
//	case rank != nil: // this process is a rank: rank.Pin(), work, rank.Close()
//	default: // this process is the launcher: launch.Local(ctx, launch.Spec{Ranks: 2})
//	}
package launch
