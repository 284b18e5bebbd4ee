package device

import "context"

// A Job identifies this rank, and exchanges data among the ranks before any transport is open.
// Package launch implements it for every launcher.
type Job interface {
	Rank() int
	Size() int
	// LocalSize is the number of ranks of the job on this host. A transport
	// uses it to decide whether spinning would take the processor from a peer.
	LocalSize() int
	// Hosts returns the number of each rank's host, by rank: ranks with the same number can share
	// memory. The caller does not write to it.
	Hosts() []int
	// Exchange gives every rank the blobs of all ranks, indexed by rank. It is
	// collective, every rank calls it equally often, and it is a barrier: no
	// call returns before all ranks have called. Blobs are small (a few KiB).
	// It fails when ctx ends or a rank is gone.
	Exchange(ctx context.Context, blob []byte) ([][]byte, error)
}

// HostName returns the name of a rank's host, if the job knows it (launch.Rank does) and has
// several hosts, else "".
func HostName(job Job, rank int) string {
	named, ok := job.(interface{ HostName(rank int) string })
	if !ok {
		return ""
	}
	hosts := job.Hosts() // once: a job may make the list
	for _, host := range hosts {
		if host != hosts[0] {
			return named.HostName(rank)
		}
	}
	return ""
}
