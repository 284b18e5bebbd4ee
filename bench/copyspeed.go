package bench

import "time"

const (
	copyLeast = 64 << 20 // bytes of a buffer, where the last cache is small
	copyTimes = 3        // of which the fastest counts
)

// CopySpeed is how many bytes this thread copies per second between buffers that together are four
// times as large as the last cache, and the bytes of that cache. It takes some hundredths of a
// second.
func CopySpeed() (perSecond float64, cache int64) {
	cache = LastCache()
	n := max(copyLeast, 2*cache)
	from, to := make([]byte, n), make([]byte, n)
	for i := 0; i < len(from); i += 4096 { // both get pages of their own
		from[i], to[i] = 1, 1
	}
	for range copyTimes {
		start := time.Now()
		copy(to, from)
		perSecond = max(perSecond, float64(n)/time.Since(start).Seconds())
	}
	return perSecond, cache
}

// MemoryBound reports whether the messages of a cell come from memory and not from a cache of so
// many bytes.
func (c Cell) MemoryBound(cache int64) bool {
	return c.Size > 0 && (c.cache() == Cold || int64(c.Size) > cache)
}
