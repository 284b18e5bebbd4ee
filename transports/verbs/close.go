//go:build verbs && cgo

package verbs

import (
	"fmt"
	"strings"
	"time"
)

// drainBound is how long Close waits for the adapters of peers to acknowledge the last packets.
const drainBound = 2 * time.Second

// Close implements protocol.Wire. It waits until the adapters of the peers have acknowledged everything, the
// goodbye being the last, and then destroys the queues.
func (w *wire) Close() error {
	var late []string
	for until := time.Now().Add(drainBound); ; {
		late = late[:0]
		for _, p := range w.byQ {
			for _, r := range w.rails {
				if !p.failed && r.Live(p.queue) && !r.Drained(p.queue) {
					late = append(late, fmt.Sprint(p.rank))
				}
			}
		}
		if len(late) == 0 || time.Now().After(until) {
			break
		}
		for _, r := range w.rails {
			r.Poll(64) // what comes now is for nobody
		}
	}
	w.abandon()
	if len(late) > 0 {
		return fmt.Errorf("closing ibv: the adapter of rank %s did not acknowledge the last data within %v", strings.Join(late, ", "), drainBound)
	}
	return nil
}
