package bench

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"gobench/device"
)

// A verb selects the next step of all ranks.
type verb int

const (
	verbSetup    verb = iota // calibrate the clock, measure the noise
	verbCase                 // make the buffers and the operation of a case
	verbDistance             // measure core-to-core latency
	verbCheck                // exchange Samples messages and check each
	verbBlock                // time Samples samples of Batch events each
	verbWork                 // prepare a computation of Work seconds
	verbSync                 // synchronise the clocks of all ranks
	verbClock                // measure the error of the clock synchronisation
	verbStop                 // end the run
)

// A command is the message that rank 0 sends to all others for each step.
type command struct {
	Verb    verb    `json:"verb"`
	Case    int     `json:"case,omitempty"`    // verbCase: index into the plan
	Copies  int     `json:"copies,omitempty"`  // verbCase: copies of the buffers
	Start   Start   `json:"start,omitempty"`   // verbBlock: chosen by rank 0, because hosts may differ
	Samples int     `json:"samples,omitempty"` // verbBlock, verbCheck, verbDistance: number of samples
	Batch   int     `json:"batch,omitempty"`   // verbBlock: events per sample
	Lead    int     `json:"lead,omitempty"`    // verbBlock: untimed events before the first sample
	Lines   int     `json:"lines,omitempty"`   // verbDistance: cache lines
	Rounds  int     `json:"rounds,omitempty"`  // verbDistance: round trips
	Pair    [2]int  `json:"pair,omitzero"`     // verbDistance: the two ranks
	Ring    bool    `json:"ring,omitempty"`    // verbDistance: instead, each rank and the next one
	Pace    bool    `json:"pace,omitempty"`    // verbDistance: every rank times the loop of package pace
	End     bool    `json:"end,omitempty"`     // verbCheck: every rank reports rank.steal and changed counters
	Phase   phase   `json:"phase,omitempty"`   // verbBlock: kind of its events
	Work    float64 `json:"work,omitempty"`    // verbWork: seconds
	First   uint64  `json:"first,omitempty"`   // iteration number of the first pattern

	// verbStop: the reason; none at the regular end.
	Defect      *DataError   `json:"defect,omitempty"`
	Memory      *MemoryError `json:"memory,omitempty"`
	Failure     *RankError   `json:"failure,omitempty"`
	Interrupted bool         `json:"interrupted,omitempty"`
}

// reason returns the error that a stop command carries, or nil.
func (c command) reason() error {
	switch {
	case c.Defect != nil:
		return c.Defect
	case c.Memory != nil:
		return c.Memory
	case c.Failure != nil:
		return c.Failure
	case c.Interrupted:
		return ErrInterrupted
	}
	return nil
}

// A report is each rank's answer to a command.
type report struct {
	Defect      *DataError   `json:"defect,omitempty"`
	Memory      *MemoryError `json:"memory,omitempty"`      // verbSetup
	Failure     string       `json:"failure,omitempty"`     // a local error after which the rank is still in step
	Interrupted bool         `json:"interrupted,omitempty"` // this rank's context has ended
	Checked     int          `json:"checked,omitempty"`     // number of messages whose data this rank has checked
	Usage       usage        `json:"usage,omitzero"`        // verbBlock
	Steal       float64      `json:"steal,omitempty"`       // verbCheck, if asked: see rank.steal
	// verbCheck, if asked: growth of Plan.Counters since the begin of the case
	Changed  map[string]uint64 `json:"changed,omitempty"`
	Facts    *RankFacts        `json:"facts,omitempty"`   // verbSetup
	Distance distance          `json:"distance,omitzero"` // verbDistance
	Loop     float64           `json:"loop,omitempty"`    // verbDistance, seconds
	Clock    float64           `json:"clock,omitempty"`   // verbSync, verbClock: error bound of the clock, seconds
	Excess   float64           `json:"excess,omitempty"`  // verbClock: clock.Deviation.Excess
	Cache    int64             `json:"cache,omitempty"`   // verbSetup: last-level cache, bytes
	Plan     uint64            `json:"plan,omitempty"`    // verbSetup: fingerprint of the plan
}

// errOutOfStep reports a command or report other than the expected one.
var errOutOfStep = errors.New("control message out of step: the ranks do not run the same plan")

// controlTag is the tag of control messages (level raw ignores it).
const controlTag int32 = 1

// Control messages use the channel under test, which may corrupt them. Each message contains two
// copies of its data with checksums: a damaged byte is reported as a defect, and the ranks stay in
// step because the other copy is used.

// link exchanges control messages between ranks. Its methods do not allocate once the buffers have
// grown to the size of the messages.
type link struct {
	ch     device.Channel
	bench  string // named in defects; "start" before the first case
	small  [headSize]byte
	out    []byte
	in     []byte
	defect *DataError // the first damaged byte found on this rank
}

const (
	sumSize  = 4  // bytes of a checksum
	headSize = 12 // bytes of the head of a frame: round and length of the body
)

// sendCopies sends b twice, each copy followed by its checksum.
func (l *link) sendCopies(dst int, tag int32, b []byte) error {
	sum := crc32.ChecksumIEEE(b)
	l.out = l.out[:0]
	for range 2 {
		l.out = append(l.out, b...)
		l.out = binary.LittleEndian.AppendUint32(l.out, sum)
	}
	return l.ch.Send(l.out, dst, tag, controlContext)
}

// recvCopies returns the n bytes that src sent with sendCopies, valid until the next call. An error
// is fatal, because the ranks cannot agree on anything without control messages.
func (l *link) recvCopies(src int, tag int32, n int, round uint64) ([]byte, error) {
	size := n + sumSize
	if cap(l.in) < 2*size {
		l.in = make([]byte, 2*size)
	}
	b := l.in[:2*size]
	if _, err := l.ch.Recv(b, src, tag, controlContext); err != nil {
		return nil, err
	}
	if at := firstDifference(b[:size], b[size:]); at >= 0 && l.defect == nil {
		l.defect = &DataError{
			Bench: l.bench, Size: len(b), Rank: l.ch.Rank(), Source: src,
			Offset: at, Want: b[at], Got: b[size+at], Iteration: round, Control: true,
		}
	}
	for _, c := range [][]byte{b[:size], b[size:]} {
		if crc32.ChecksumIEEE(c[:n]) == binary.LittleEndian.Uint32(c[n:]) {
			return c[:n], nil
		}
	}
	if l.defect != nil {
		return nil, fmt.Errorf("both copies of a control message from rank %d are damaged: %w", src, l.defect)
	}
	return nil, fmt.Errorf("rank %d: %w", src, errOutOfStep)
}

func firstDifference(a, b []byte) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}

// send sends the frame of a round: a head with the length, then the body.
func (l *link) send(dst int, round uint64, body []byte) error {
	binary.LittleEndian.PutUint64(l.small[:], round)
	binary.LittleEndian.PutUint32(l.small[8:], uint32(len(body)))
	if err := l.sendCopies(dst, controlTag, l.small[:]); err != nil {
		return err
	}
	return l.sendCopies(dst, controlTag, body)
}

// recv returns the body of the next frame of src, valid until the next call.
func (l *link) recv(src int, round uint64) ([]byte, error) {
	head, err := l.recvCopies(src, controlTag, headSize, round)
	if err != nil {
		return nil, err
	}
	if binary.LittleEndian.Uint64(head) != round {
		return nil, fmt.Errorf("rank %d: %w", src, errOutOfStep)
	}
	return l.recvCopies(src, controlTag, int(binary.LittleEndian.Uint32(head[8:])), round)
}

// sendWord and recvWord exchange one number outside of rounds.
func (l *link) sendWord(dst int, tag int32, w uint64) error {
	binary.LittleEndian.PutUint64(l.small[:], w)
	return l.sendCopies(dst, tag, l.small[:8])
}

func (l *link) recvWord(src int, tag int32) (uint64, error) {
	b, err := l.recvCopies(src, tag, 8, 0)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint64(b), nil
}

// encodeStamps encodes the clock readings of a block for rank 0, 8 bytes each.
func encodeStamps(stamps []int64) []byte {
	b := make([]byte, 0, 8*len(stamps))
	for _, t := range stamps {
		b = binary.LittleEndian.AppendUint64(b, uint64(t))
	}
	return b
}

// decodeStamps appends the decoded readings to dst.
func decodeStamps(dst []int64, b []byte) []int64 {
	for ; len(b) >= 8; b = b[8:] {
		dst = append(dst, int64(binary.LittleEndian.Uint64(b)))
	}
	return dst
}
