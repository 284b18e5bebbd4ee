package bench

import "encoding/binary"

// A rank that waits for another finishes early what the other finishes late,
// and in patterns without a barrier the two may take turns at that forever. So
// neither one rank's time nor the largest of all is the time of an event. It is
// the time from the moment when the last rank had finished the event before to
// the moment when the last rank finished this one. These times add up
// to the time of the loop on the slowest rank, which is IMB's t_max x repetitions.
//
// That needs one clock for all ranks, which all ranks of one host have. For
// ranks on several hosts the time of an event is the largest of the ranks' own
// times, which is an upper bound.

// encodeStamps writes the clock readings of a block for rank 0, 8 bytes each.
func encodeStamps(stamps []int64) []byte {
	b := make([]byte, 0, 8*len(stamps))
	for _, t := range stamps {
		b = binary.LittleEndian.AppendUint64(b, uint64(t))
	}
	return b
}

// decodeStamps appends what encodeStamps wrote to dst.
func decodeStamps(dst []int64, b []byte) []int64 {
	for ; len(b) >= 8; b = b[8:] {
		dst = append(dst, int64(binary.LittleEndian.Uint64(b)))
	}
	return dst
}

// merger makes the times of events out of the ranks' clock readings.
type merger struct {
	oneClock bool
	last     []int64 // oneClock: when the last rank finished each event
	times    []int64
	starts   []int64 // of the events in times

	spans spans   // of operations
	local []int64 // of operations, beside times
	skew  []int64
}

// start begins a block with the readings of the first rank.
func (m *merger) start(stamps []int64) {
	m.last = append(m.last[:0], stamps...)
	m.difference()
}

// difference makes times out of last.
func (m *merger) difference() {
	m.times = m.times[:0]
	m.starts = m.starts[:0]
	for i := 1; i < len(m.last); i++ {
		m.times = append(m.times, m.last[i]-m.last[i-1])
		m.starts = append(m.starts, m.last[i-1])
	}
}

// add takes in the readings of one more rank. It reports whether they are as many.
func (m *merger) add(stamps []int64) bool {
	if len(stamps) != len(m.last) {
		return false
	}
	if !m.oneClock {
		for i := range m.times {
			m.times[i] = max(m.times[i], stamps[i+1]-stamps[i])
		}
		return true
	}
	for i, t := range stamps {
		m.last[i] = max(m.last[i], t)
	}
	m.difference()
	return true
}
