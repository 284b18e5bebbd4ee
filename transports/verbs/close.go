//go:build verbs && cgo

package verbs

import (
	"fmt"
	"strings"
	"time"

	"gobench/transports/verbs/ibv"
)

// drainBound limits the time for which Close waits for the adapters of peers to acknowledge the
// last packets.
const drainBound = 2 * time.Second

// leftBound is the limit for a peer whose goodbye has arrived, because its process may have ended.
const leftBound = 500 * time.Millisecond

// Close implements protocol.Wire. It waits until the adapters of the peers have acknowledged all
// packets, up to the goodbye, and then destroys the queues.
func (w *wire) Close() error {
	var late []string
	for start := time.Now(); ; {
		late = late[:0]
		waiting, passed := false, time.Since(start)
		for _, p := range w.byQ {
			for _, r := range w.rails {
				if p.Failed || !r.Live(p.queue) || r.Drained(p.queue) { // other queues (qps) are idle
					continue
				}
				waiting = waiting || !p.Left || passed < leftBound
				if !p.Left {
					late = append(late, fmt.Sprint(p.Rank))
				}
			}
		}
		if !waiting || passed > drainBound {
			break
		}
		for _, r := range w.rails {
			r.Poll(64) // events are dropped now
		}
	}
	w.abandon()
	if len(late) > 0 {
		return fmt.Errorf("closing ibv: the adapter of rank %s did not acknowledge the last data within %v", strings.Join(late, ", "), drainBound)
	}
	return nil
}

// abandon frees everything without waiting.
func (w *wire) abandon() {
	for _, r := range w.rails {
		for i := range len(w.byQ) * w.set.lanes() {
			r.Drop(i)
		}
	}
	w.memory.Table.Close()
	for _, r := range w.rails {
		r.Close()
	}
	for _, c := range w.cms {
		c.Close()
	}
	if w.usesCM {
		ibv.UnloadCM()
	}
	w.rails, w.cms, w.usesCM = nil, nil, false
}
