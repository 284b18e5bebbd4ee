package host

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// CorePair is the latency between two cores: half of the round trip of a cache line, the minimum of
// many. On virtual machines it changes over time, because the host moves virtual cores.
type CorePair struct {
	A        int     `json:"a"`
	B        int     `json:"b"`
	Distance float64 `json:"distance_s"`
}

const (
	maxLatencyCores = 8                    // more pairs take too long
	latencyTime     = 5 * time.Millisecond // for one pair
	latencyRounds   = 20                   // round trips of one sample: few, so that some samples are not interrupted
	latencyBusy     = 2 * time.Microsecond // a greater latency means that a core was busy
)

// CoreLatencies measures every pair of the first maxLatencyCores cores. It omits pairs with a busy
// core.
func CoreLatencies(cores []int) []CorePair {
	cores = cores[:min(len(cores), maxLatencyCores)]
	var pairs []CorePair
	for i, a := range cores {
		for _, b := range cores[i+1:] {
			if d := coreLatency(a, b); d > 0 && d < latencyBusy {
				pairs = append(pairs, CorePair{a, b, d.Seconds()})
			}
		}
	}
	return pairs
}

// pingLine is a counter on cache lines of its own that two cores increment alternately.
type pingLine struct {
	_     [128]byte
	count atomic.Uint64 // even: a's turn, odd: b's
	_     [128]byte
	done  atomic.Bool
}

// coreLatency returns the latency between two cores, 0 if it could not be measured.
func coreLatency(a, b int) time.Duration {
	var (
		l    pingLine
		best time.Duration
		wg   sync.WaitGroup
	)
	end := time.Now().Add(latencyTime)
	pinned := func(core int, fn func()) {
		runtime.LockOSThread() // never unlocked: the pinned thread ends here
		if Pin(core) == nil {
			fn()
		}
		l.done.Store(true)
	}
	wg.Go(func() {
		pinned(a, func() {
			for time.Now().Before(end) {
				start := time.Now()
				for range latencyRounds {
					if !l.hand(0) {
						return
					}
				}
				if d := time.Since(start) / (2 * latencyRounds); best == 0 || d < best {
					best = d
				}
			}
		})
	})
	wg.Go(func() {
		pinned(b, func() {
			for l.hand(1) {
			}
		})
	})
	wg.Wait()
	return best
}

// hand waits until the parity of the counter is parity and increments it. It returns false when the
// other side has ended.
func (l *pingLine) hand(parity uint64) bool {
	for spins := 0; ; spins++ {
		if n := l.count.Load(); n%2 == parity {
			l.count.Store(n + 1)
			return true
		}
		if spins%1024 == 1023 && l.done.Load() {
			return false
		}
	}
}
