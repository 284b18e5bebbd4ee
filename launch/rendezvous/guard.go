package rendezvous

import (
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"gobench/device"
	"gobench/internal/launch/detect"
	"gobench/internal/launch/exchange"
)

// srun ends neither a step one of whose tasks was killed, nor the exchanges of PMI that wait for
// that task. So the ranks of srun exchange over their own connections once they have met: the
// end of a process ends its connection. Where hosts cannot connect, they go on with PMI alone.

// guardTimeout limits the time in which ranks that have met by PMI connect.
const guardTimeout = 3 * time.Second

// A guardedLink exchanges by the connections of ranks, and leaves the job by PMI.
type guardedLink struct {
	exchange.Link
	pmi exchange.Link
}

func (l *guardedLink) Tell(words string) {
	l.Link.Tell(words)
	l.pmi.Tell(words)
}

func (l *guardedLink) Close() error { return errors.Join(l.Link.Close(), l.pmi.Close()) }

// guard replaces the link of a rank of srun by a guardedLink, if all ranks can connect to rank 0.
// It is collective. Its error comes from an exchange.
func (r *Rank) guard(ctx context.Context) error {
	connected, err := r.connect(ctx, func(end func()) { time.AfterFunc(guardTimeout, end) })
	if err != nil {
		return err
	}
	answers, err := device.Exchange(ctx, r, connected != nil)
	all := err == nil && !slices.Contains(answers, false)
	switch {
	case all:
		r.link = &guardedLink{connected, r.link}
	case connected != nil:
		connected.Close()
	}
	return err
}

// connect makes the connections: rank 0 sends the others its addresses and a secret by an exchange.
// The link is nil if it cannot connect before limit, which is called after the exchange, calls end:
// the exchange takes as long as the last rank needs to come.
func (r *Rank) connect(ctx context.Context, limit func(end func())) (exchange.Link, error) {
	limited, cancel := context.WithCancel(ctx)
	defer cancel()
	w := meetingPoint{Identity: detect.Identity{Rank: r.rank, Size: r.size}, warnings: io.Discard}
	if r.rank == 0 {
		var announced bool
		var failed error
		w.announce = func(n notice) error {
			announced = true
			_, failed = device.Exchange(ctx, r, n)
			limit(cancel)
			return failed
		}
		l, err := w.open(limited)
		if !announced { // it cannot listen
			_, failed = device.Exchange(ctx, r, notice{})
		}
		if err != nil {
			return nil, failed
		}
		return l, failed
	}
	notices, err := device.Exchange(ctx, r, notice{})
	if err != nil || len(notices[0].Addresses) == 0 {
		return nil, err
	}
	limit(cancel)
	w.addresses, w.secret = notices[0].Addresses, notices[0].Secret
	l, err := w.dialRoot(limited)
	if err != nil {
		return nil, nil
	}
	return l, nil
}
