package rendezvous

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"gobench/device"
)

// A twoLink exchanges the blobs of two ranks.
type twoLink struct {
	mine, theirs chan []byte
	rank         int
	done         atomic.Bool
}

func (l *twoLink) Exchange(_ context.Context, blob []byte) ([][]byte, error) {
	l.mine <- blob
	other := <-l.theirs
	l.done.Store(true)
	if l.rank == 0 {
		return [][]byte{blob, other}, nil
	}
	return [][]byte{other, blob}, nil
}

func (*twoLink) Failure() *device.PeerError { return nil }
func (*twoLink) Tell(string)                {}
func (*twoLink) Close() error               { return nil }

// The time in which ranks that have met by PMI connect begins with the end of their exchange, which
// lasts until the last of them has come.
func TestGuardWaitsForLateRanks(t *testing.T) {
	a, b := make(chan []byte, 1), make(chan []byte, 1)
	links := [2]*twoLink{{mine: a, theirs: b}, {mine: b, theirs: a, rank: 1}}
	var ranks sync.WaitGroup
	for i, l := range links {
		ranks.Go(func() {
			limits := 0
			r := &Rank{rank: i, size: 2, link: l}
			connected, err := r.connect(t.Context(), func(func()) {
				if limits++; !l.done.Load() {
					t.Errorf("rank %d: its time begins before the exchange", i)
				}
			})
			if err != nil || connected == nil || limits != 1 {
				t.Errorf("rank %d: %v, %v, %d limits", i, connected, err, limits)
				return
			}
			connected.Close()
		})
	}
	ranks.Wait()
}
