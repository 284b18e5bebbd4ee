package host

import "time"

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
