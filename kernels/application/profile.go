package application

import "math/bits"

// SizeClasses is the number of classes of message sizes: class 0 holds empty
// messages, class k those of 2^(k-1) to 2^k - 1 bytes.
const SizeClasses = 48

// Profile counts the messages that a rank sends in the timed region.
type Profile struct {
	Peers       []Traffic          // messages to each rank, by its number
	Sizes       [SizeClasses]int64 // messages of each class of sizes
	Collectives Traffic            // collective operations, and the bytes that this rank contributed

	ended bool // later messages are not counted
}

// Traffic is a number of messages and their bytes.
type Traffic struct {
	Messages int64 `json:"messages"`
	Bytes    int64 `json:"bytes"`
}

func newProfile(ranks int) Profile { return Profile{Peers: make([]Traffic, ranks)} }

// Sent counts one message to a rank. A message to a negative peer (comm.ProcNull) is not counted.
func (p *Profile) Sent(peer, bytes int) {
	if peer < 0 || p.ended {
		return
	}
	t := &p.Peers[peer]
	t.Messages++
	t.Bytes += int64(bytes)
	p.Sizes[min(bits.Len(uint(bytes)), SizeClasses-1)]++
}

// SentAll counts one message to each of ranks peers, first, first + stride and so on, except to
// self: the messages of an alltoall in a group of ranks.
func (p *Profile) SentAll(first, stride, ranks, self, bytes int) {
	for i := range ranks {
		if peer := first + i*stride; peer != self {
			p.Sent(peer, bytes)
		}
	}
}

// Collective counts one collective operation to which this rank contributes the given bytes. Their
// destination depends on the algorithm and is not counted.
func (p *Profile) Collective(bytes int) {
	if p.ended {
		return
	}
	p.Collectives.Messages++
	p.Collectives.Bytes += int64(bytes)
}

func (p *Profile) reset() {
	clear(p.Peers)
	p.Sizes = [SizeClasses]int64{}
	p.Collectives = Traffic{}
	p.ended = false
}
