package host

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"gobench/internal/release"
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
	// maxLatency ends the measurement on busy cores, where each turn waits for a switch of threads
	maxLatency    = 10 * latencyTime
	latencyRounds = 20                   // round trips of one sample: few, so that some samples are not interrupted
	latencyBusy   = 2 * time.Microsecond // a greater latency means that a core was busy
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
	count uint64 // even: a's turn, odd: b's
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
	defer time.AfterFunc(maxLatency, func() { l.done.Store(true) }).Stop()
	pinned := func(core int, fn func()) {
		runtime.LockOSThread() // never unlocked: the pinned thread ends here
		if Pin(core) == nil {
			fn()
		}
		l.done.Store(true)
	}
	wg.Go(func() {
		pinned(a, func() {
			turn := uint64(0)
			for time.Now().Before(end) {
				start := time.Now()
				for range latencyRounds {
					if !l.hand(turn) {
						return
					}
					turn += 2
				}
				if d := time.Since(start) / (2 * latencyRounds); best == 0 || d < best {
					best = d
				}
			}
		})
	})
	wg.Go(func() {
		pinned(b, func() {
			for turn := uint64(1); l.hand(turn); turn += 2 {
			}
		})
	})
	wg.Wait()
	return best
}

// hand waits until the counter is turn and increments it. It returns false when the other side has
// ended.
func (l *pingLine) hand(turn uint64) bool {
	for !release.Await(&l.count, turn, 1024) {
		if l.done.Load() {
			return false
		}
	}
	release.Store(&l.count, turn+1)
	return true
}

const (
	minCopy   = 64 << 20 // smallest buffer in bytes
	copyTimes = 3        // the fastest copy counts
)

// CopySpeed returns the bytes per second that this thread copies between buffers that together are
// at least four times as large as the last-level cache, and the size of that cache in bytes. It
// takes some tens of milliseconds.
func CopySpeed() (perSecond float64, cache int64) {
	cache = LastCache()
	n := max(minCopy, 2*cache)
	from, to := make([]byte, n), make([]byte, n)
	for i := 0; i < len(from); i += 4096 { // allocate the pages of both
		from[i], to[i] = 1, 1
	}
	for range copyTimes {
		start := time.Now()
		copy(to, from)
		perSecond = max(perSecond, float64(n)/time.Since(start).Seconds())
	}
	return perSecond, cache
}
