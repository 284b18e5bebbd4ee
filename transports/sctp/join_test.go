package sctp

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"gobench/device"
	"gobench/launch"
)

// placed is a job whose ranks are on the hosts that it names.
type announced struct {
	device.Job
	hosts []int
}

func (p announced) Hosts() []int             { return p.hosts }
func (p announced) HostName(rank int) string { return fmt.Sprintf("h%d", p.hosts[rank]) }

// A rank that has not been reached in time is named to all ranks, with a firewall as the cause
// only between hosts. No socket is used, because the time is over when rank 0 begins to wait.
func TestUnreachedIsTold(t *testing.T) {
	for name, hosts := range map[string][]int{"between hosts": {0, 1, 2}, "on one host": {0, 0, 1}} {
		errs := make([]error, 3)
		over, cancel := context.WithCancel(t.Context())
		cancel()
		launch.Goroutines(t.Context(), 3, func(ctx context.Context, job device.Job) error {
			pairs := func(a, b int) bool { return false }
			begun := ctx
			if job.Rank() == 0 { // it waits for the greeting of rank 1
				pairs = func(a, b int) bool { return b == 1 }
				begun = over
			}
			w := newWire(job.Rank(), 3, settings{}, pairs)
			err := w.join(ctx, begun, announced{job, hosts}, []announcement{{Secret: make([]byte, 32)}, {}, {}}, netip.Addr{})
			errs[job.Rank()] = err
			return nil
		})
		var lost *device.PeerError
		if !errors.As(errs[0], &lost) || lost.Rank != 1 || lost.State != "cannot be reached" || strings.Contains(lost.Cause, "firewall") != (name == "between hosts") {
			t.Errorf("%s: rank 0 sees %v", name, errs[0])
		}
		for rank := 1; rank < 3; rank++ {
			if !errors.As(errs[rank], &lost) || lost.Rank != 0 || lost.State != "cannot take part" || !strings.Contains(lost.Cause, "rank 1") {
				t.Errorf("%s: rank %d sees %v", name, rank, errs[rank])
			}
		}
	}
}
