package bench

import "encoding/binary"

// encodeTimes writes the durations of a block for rank 0, 8 bytes each.
func encodeTimes(b []byte, stamps []int64) []byte {
	b = b[:0]
	for i := 1; i < len(stamps); i++ {
		b = binary.LittleEndian.AppendUint64(b, uint64(stamps[i]-stamps[i-1]))
	}
	return b
}

// slowest replaces every duration by that of another rank if that is longer:
// the time of an event is the largest over the ranks. It reports whether b
// holds as many durations.
func slowest(durations []int64, b []byte) bool {
	if len(b) != 8*len(durations) {
		return false
	}
	for i := range durations {
		durations[i] = max(durations[i], int64(binary.LittleEndian.Uint64(b[8*i:])))
	}
	return true
}
