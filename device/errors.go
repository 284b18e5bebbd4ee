package device

import (
	"cmp"
	"errors"
	"fmt"
)

// Sentinels, for errors.Is.
var (
	ErrClosed    = errors.New("device is closed")
	ErrRequest   = errors.New("no such request: it is null, or already released")
	ErrTruncated = errors.New("message is longer than the receive buffer")
)

// A PeerError reports that an operation cannot be completed because a peer is dead or unreachable.
// Every operation that needs that peer returns it.
type PeerError struct {
	Rank  int    // the dead peer
	Cause string // what was seen, such as "process 4711 has ended"
	Host  string // of the peer, if the job has several hosts; set by the layer that knows its name
	State string // what has become of it, "" = "is lost"
}

func (e *PeerError) Error() string {
	return fmt.Sprintf("%s %s: %s", RankName(e.Rank, e.Host), cmp.Or(e.State, "is lost"), e.Cause)
}

// RankName returns the name of a rank in messages; host may be "".
func RankName(rank int, host string) string {
	if host == "" {
		return fmt.Sprintf("rank %d", rank)
	}
	return fmt.Sprintf("rank %d on %s", rank, host)
}

// A TruncationError is ErrTruncated with the sizes of the message and of its buffer.
type TruncationError struct {
	Source int
	Tag    int32
	Size   int // bytes sent
	Room   int // bytes of the receive buffer
}

func (e *TruncationError) Error() string {
	return fmt.Sprintf("message of %d bytes from rank %d with tag %d does not fit a receive buffer of %d bytes",
		e.Size, e.Source, e.Tag, e.Room)
}

// Is makes errors.Is(err, ErrTruncated) hold.
func (e *TruncationError) Is(target error) bool { return target == ErrTruncated }

// An ArgumentError reports an invalid argument: a rank outside of the job, a negative tag.
type ArgumentError struct {
	Name  string // "destination", "source", "tag"
	Value int
	Want  string // "0..3", "a tag of 0 or more"
}

func (e *ArgumentError) Error() string {
	return fmt.Sprintf("%s is %d, want %s", e.Name, e.Value, e.Want)
}

// An UnavailableError reports why a transport cannot be used on this machine, and the remedy.
type UnavailableError struct {
	Transport string
	Reason    string // what is missing
	Remedy    string // what to do; may be empty
}

func (e *UnavailableError) Error() string {
	s := fmt.Sprintf("transport %s cannot be used here: %s", e.Transport, e.Reason)
	if e.Remedy != "" {
		s += "; " + e.Remedy
	}
	return s
}

// A ProtocolError reports data from a peer that violates the protocol. The peer is treated as dead.
type ProtocolError struct {
	Rank   int
	Detail string
}

func (e *ProtocolError) Error() string {
	return fmt.Sprintf("rank %d broke the protocol: %s", e.Rank, e.Detail)
}
