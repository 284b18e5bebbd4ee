// Package launch says who this process is and who the others are: it starts the
// ranks of a job and lets them meet before any transport is open.
//
// Three kinds of job exist. Goroutines runs the ranks inside this process. Local
// forks them on this machine by executing this program again; FromEnv is how such
// a process finds out that it is a rank. Singleton is the job of a process on its
// own. Join makes the processes of another launcher (mpiexec, mpirun, srun and so
// on) the ranks of a job; each launcher is one entry of the list in detect.go.
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

// MaxBlob is the most bytes of one blob of Exchange.
const MaxBlob = 1 << 20
