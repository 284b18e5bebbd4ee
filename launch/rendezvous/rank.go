// Package rendezvous makes a process a rank of the job for which it was started. A launcher carries
// the exchanges of its ranks (this program by a socket, others by PMI-1 or a library), or the ranks
// connect to rank 0, whose address and secret they get by the environment or by a file.
package rendezvous

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"

	"gobench/device"
	"gobench/internal/launch/exchange"
	"gobench/internal/launch/host"
)

// A Rank implements device.Job for one process of a job, and holds its cores and the names of the
// hosts.
//
// Exchange may be called by one goroutine at a time. After an error, all further calls fail.
type Rank struct {
	rank, size int
	cores      []int    // of its threads; nil if it is not to be pinned
	on         []int    // number of each rank's host; nil if all are on this one
	hosts      []string // names of the hosts by number
	processors int      // that the ranks of this host may use together; 0 = those of this process
	link       exchange.Link
	warnings   io.Writer // for long exchanges; nil if the launcher is gobench, which reports them
}

var _ device.Job = (*Rank)(nil)

func (r *Rank) Rank() int { return r.rank }
func (r *Rank) Size() int { return r.size }

// LocalSize implements device.Job.
func (r *Rank) LocalSize() int {
	if r.on == nil {
		return r.size
	}
	n := 0
	for _, host := range r.on {
		if host == r.on[r.rank] {
			n++
		}
	}
	return n
}

// Processors returns how many processors the ranks of this host may use together; see
// device.Processors.
func (r *Rank) Processors() int { return cmp.Or(r.processors, runtime.NumCPU()) }

// Hosts implements device.Job. The numbers come from HostName, from 0.
func (r *Rank) Hosts() []int {
	if r.on == nil {
		return make([]int, r.size)
	}
	return r.on
}

// HostName returns the name of a rank's host as the user gave it, "" if the ranks were forked on
// this host without a name.
func (r *Rank) HostName(rank int) string {
	if r.on == nil {
		return ""
	}
	return r.hosts[r.on[rank]]
}

// Exchange implements device.Job. A lost rank is a *device.PeerError.
func (r *Rank) Exchange(ctx context.Context, blob []byte) ([][]byte, error) {
	if err := exchange.CheckBlob(blob); err != nil {
		return nil, err
	}
	if r.warnings != nil {
		defer time.AfterFunc(exchange.NoticeDelay, r.remind).Stop()
	}
	blobs, err := r.link.Exchange(ctx, blob)
	return blobs, r.named(err)
}

// remind writes a note about a long exchange. Some launchers report neither which ranks are
// missing, nor that a host has vanished: Hydra notices that when TCP gives up, after 15 minutes.
func (r *Rank) remind() {
	fmt.Fprintf(r.warnings, "gobench: rank %d of %d waits in an exchange for ranks that the launcher has not started, that have not come to it, or whose host has vanished\n", r.rank, r.size)
}

// named adds the name of the host to the *device.PeerError that err wraps, if there is one.
func (r *Rank) named(err error) error {
	if lost := (*device.PeerError)(nil); errors.As(err, &lost) && lost.Rank >= 0 && lost.Rank < r.size {
		lost.Host = device.HostName(r, lost.Rank)
	}
	return err
}

// Failure returns the *device.PeerError of the rank that failed first, if the launcher has
// signalled this process because of it; otherwise nil. It must not be called during Exchange.
func (r *Rank) Failure() error {
	if failed := r.link.Failure(); failed != nil {
		return r.named(failed)
	}
	return nil
}

// Tell sends this rank's error message to the launcher, which names it as the cause to the other
// ranks, and prints that of the first rank that failed, unless a rank has printed one.
func (r *Rank) Tell(err error) { r.link.Tell(err.Error()) }

// Cores returns the cores that the launcher chose for the threads of this rank, one for each, nil
// if it chose none. A launcher other than gobench, which does not know the threads, chooses at most
// one.
func (r *Rank) Cores() []int { return r.cores }

// Pin locks the calling goroutine to its thread and the thread to the rank's
// first core. Other threads of the process (the Go runtime's) float on all allowed
// cores. Without a chosen core it only locks.
func (r *Rank) Pin() error {
	runtime.LockOSThread()
	if r.cores == nil {
		return nil
	}
	return host.Pin(r.cores[0])
}

// Close notifies the launcher that this rank takes part in no further exchange. The end of the
// process has the same effect.
func (r *Rank) Close() error { return r.link.Close() }
