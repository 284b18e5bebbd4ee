// Package pairwise measures pairs of hosts for package pairs. A worker on each host, which agents
// of internal/launch/remote start, sleeps until it gets an order; then it opens a transport to one
// other host, measures, and closes it. The root gives the orders and never waits longer for them
// than their deadline, so a host that has stopped delays no other.
package pairwise

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"gobench/internal/launch/host"
	"gobench/pairs"
	"gobench/record"
)

// An order is a message from the root to a worker. One of its parts is set.
type order struct {
	Pair  *pairOrder `json:"pair,omitempty"`
	Load  *loadOrder `json:"load,omitempty"`
	Blobs *blobs     `json:"blobs,omitempty"` // the end of an exchange of a pair
	Abort *abort     `json:"abort,omitempty"`
	Look  *lookOrder `json:"look,omitempty"`
	Clock int64      `json:"clock,omitempty"` // asks for the time; its number
	// Listen is "begin" or "end", and Dial connects to hosts that listen.
	Listen string   `json:"listen,omitempty"`
	Dial   []target `json:"dial,omitempty"`
}

// A pairOrder asks for the measurement of a pair, or of allreduce among two hosts or more.
type pairOrder struct {
	ID        int               `json:"id"`
	Rank      int               `json:"rank"`
	Hosts     []string          `json:"hosts"`
	Allreduce bool              `json:"allreduce,omitempty"`
	Transport string            `json:"transport"`
	Options   map[string]string `json:"options,omitempty"`
	Small     time.Duration     `json:"small_ns"` // time of small messages
	Large     time.Duration     `json:"large_ns"` // time of large messages in each of three directions
	Interval  time.Duration     `json:"interval_ns,omitempty"`
	Deadline  time.Duration     `json:"deadline_ns"`
}

// blobs are a part of an exchange of the pair with this number: one blob to the root, those of all
// ranks from it.
type blobs struct {
	ID   int      `json:"id"`
	List [][]byte `json:"list"`
}

// An abort ends a measurement whose other side cannot go on.
type abort struct {
	ID  int    `json:"id"`
	Why string `json:"why"`
}

// A lookOrder asks for the facts of the host.
type lookOrder struct {
	Number int64 `json:"number"`
	Memory bool  `json:"memory"` // also copy memory and measure noise, which takes 0.4 s
}

// A report is a message from a worker to the root.
type report struct {
	Blobs   *blobs   `json:"blobs,omitempty"`
	Done    *done    `json:"done,omitempty"`
	Ready   int      `json:"ready,omitempty"` // the load with this number has started
	Look    *look    `json:"look,omitempty"`
	Clock   *moment  `json:"clock,omitempty"`
	Reached *reached `json:"reached,omitempty"`
}

// reached is the answer to Listen, with the addresses, or to Dial.
type reached struct {
	Addresses []string      `json:"addresses,omitempty"`
	List      []pairs.Reach `json:"list,omitempty"` // by target
	Error     string        `json:"error,omitempty"`
}

// done is the end of the measurement of a pair on one side.
type done struct {
	ID        int               `json:"id"`
	Phase     phase             `json:"phase,omitempty"` // in which it has failed
	Error     string            `json:"error,omitempty"`
	HalfRTT   pairs.Times       `json:"half_rtt,omitzero"` // and rates: of rank 0
	Forth     float64           `json:"forth,omitempty"`
	Back      float64           `json:"back,omitempty"`
	Both      float64           `json:"both,omitempty"`
	Allreduce pairs.Times       `json:"allreduce,omitzero"` // of the slowest rank
	Resent    [2]int            `json:"resent"`             // segments sent again by this side, of small and of large messages
	Core      int               `json:"core"`               // that the measuring thread is pinned to, -1 = none
	Changed   map[string]uint64 `json:"changed,omitempty"`
	Points    []record.Point    `json:"points,omitempty"`   // of rank 0, with Interval
	Rate      float64           `json:"rate_Bps,omitempty"` // that a host of a load has sent
}

// A phase is a part of a measurement.
type phase string

const (
	connecting phase = "connecting"
	small      phase = "small messages"
	large      phase = "large messages"
	checking   phase = "data of large messages"
)

// A look holds what a host shows by itself.
type look struct {
	Number   int64         `json:"number"` // of the order
	Facts    host.Facts    `json:"facts"`
	Location []string      `json:"place,omitempty"` // Facts.Location
	Version  string        `json:"version"`
	Copy     float64       `json:"copy_Bps,omitempty"`
	Loopback float64       `json:"loopback_s,omitempty"` // half round trip
	Noise    *host.Detours `json:"noise,omitempty"`
	Held     float64       `json:"held,omitempty"` // share of the time of Noise in which a quota stopped it
}

// A moment is the time of a worker when it got an order with that number.
type moment struct {
	Number int64 `json:"number"`
	Nanos  int64 `json:"nanos"` // since 1970
}

// A line carries messages in JSON. Several goroutines may send.
type line struct {
	stream io.ReadWriteCloser
	in     *json.Decoder
	mu     sync.Mutex
	out    *json.Encoder
}

func newLine(stream io.ReadWriteCloser) *line {
	return &line{stream: stream, in: json.NewDecoder(stream), out: json.NewEncoder(stream)}
}

func (l *line) send(v any) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.out.Encode(v)
}

// receive reads the next message into v, which must be empty.
func (l *line) receive(v any) error {
	err := l.in.Decode(v)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return io.EOF
	}
	if err != nil && err != io.EOF {
		return fmt.Errorf("a message cannot be read: %w", err)
	}
	return err
}
