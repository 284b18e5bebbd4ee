package device

import "context"

// A Job identifies this rank and exchanges data among all ranks before a transport is open. Package
// launch implements it for every launcher.
type Job interface {
	Rank() int
	Size() int
	// LocalSize is the number of ranks of the job on this host. A transport
	// uses it to decide whether spinning would take the processor from a peer.
	LocalSize() int
	// Hosts returns a host number for each rank: ranks with the same number can share memory. The
	// caller must not modify it.
	Hosts() []int
	// Exchange returns the blobs of all ranks, indexed by rank. It is collective, and a barrier: no
	// call returns before all ranks have called it. Blobs are small (a few KiB). It fails when ctx
	// ends or a rank has died.
	Exchange(ctx context.Context, blob []byte) ([][]byte, error)
}

// HostName returns the name of a rank's host if the job has several hosts and knows their names
// (rendezvous.Rank does), else "".
func HostName(job Job, rank int) string {
	named, ok := job.(interface{ HostName(rank int) string })
	if !ok {
		return ""
	}
	hosts := job.Hosts() // called once, because a job may build the list anew
	for _, host := range hosts {
		if host != hosts[0] {
			return named.HostName(rank)
		}
	}
	return ""
}
