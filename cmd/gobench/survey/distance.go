package survey

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"gobench/launch/host"
)

// Pair is the latency between two cores: half of the round trip of a cache line, the minimum of
// many. On virtual machines it changes over time, because the host moves virtual cores.
type Pair struct {
	A        int     `json:"a"`
	B        int     `json:"b"`
	Distance float64 `json:"distance_s"`
}

const (
	maxDistanceCores = 8                    // more pairs take too long
	distanceTime     = 5 * time.Millisecond // for one pair
	distanceRounds   = 20                   // round trips of one sample: few, so that some samples are not interrupted
	distanceBusy     = 2 * time.Microsecond // latency from which on a core was busy otherwise
)

// distances measures every pair of the first cores. Pairs with a busy core are left out.
func distances(cores []int) []Pair {
	cores = cores[:min(len(cores), maxDistanceCores)]
	var pairs []Pair
	for i, a := range cores {
		for _, b := range cores[i+1:] {
			if d := distance(a, b); d > 0 && d < distanceBusy {
				pairs = append(pairs, Pair{a, b, d.Seconds()})
			}
		}
	}
	return pairs
}

// line is a counter on cache lines of its own that two cores increment alternately.
type line struct {
	_     [128]byte
	count atomic.Uint64 // even: a's turn, odd: b's
	_     [128]byte
	done  atomic.Bool
}

// distance returns the latency between two cores, 0 if it could not be measured.
func distance(a, b int) time.Duration {
	var (
		l    line
		best time.Duration
		wg   sync.WaitGroup
	)
	end := time.Now().Add(distanceTime)
	pinned := func(core int, fn func()) {
		runtime.LockOSThread() // never unlocked: the pinned thread ends here
		if host.Pin(core) == nil {
			fn()
		}
		l.done.Store(true)
	}
	wg.Go(func() {
		pinned(a, func() {
			for time.Now().Before(end) {
				start := time.Now()
				for range distanceRounds {
					if !l.hand(0) {
						return
					}
				}
				if d := time.Since(start) / (2 * distanceRounds); best == 0 || d < best {
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
func (l *line) hand(parity uint64) bool {
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
