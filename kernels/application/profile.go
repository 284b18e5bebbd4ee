package application

import "math/bits"

// SizeClasses is the number of classes of message sizes: class 0 holds empty
// messages, class k those of 2^(k-1) to 2^k - 1 bytes.
const SizeClasses = 48

// Profile counts what a rank sends in the timed region.
type Profile struct {
	Peers       []Traffic          // messages to each rank, by its number
	Sizes       [SizeClasses]int64 // messages of each class of sizes
	Collectives Traffic            // collective operations, and the bytes this rank put in
}

// Traffic is a number of messages and their bytes.
type Traffic struct {
	Messages int64 `json:"messages"`
	Bytes    int64 `json:"bytes"`
}

func newProfile(ranks int) Profile { return Profile{Peers: make([]Traffic, ranks)} }

// Sent counts one message of so many bytes to a rank. A negative peer
// (comm.ProcNull) counts nothing.
func (p *Profile) Sent(peer, bytes int) {
	if peer < 0 {
		return
	}
	t := &p.Peers[peer]
	t.Messages++
	t.Bytes += int64(bytes)
	p.Sizes[min(bits.Len(uint(bytes)), SizeClasses-1)]++
}

// SentAll counts a message of so many bytes to each of the ranks from first,
// stride apart, so many: one operation of the group in an alltoall. What a rank
// keeps for itself (self) is no message.
func (p *Profile) SentAll(first, stride, ranks, self, bytes int) {
	for i := range ranks {
		if peer := first + i*stride; peer != self {
			p.Sent(peer, bytes)
		}
	}
}

// Collective counts one collective operation into which this rank puts so many
// bytes. Who gets them is the algorithm's affair.
func (p *Profile) Collective(bytes int) {
	p.Collectives.Messages++
	p.Collectives.Bytes += int64(bytes)
}

func (p *Profile) reset() {
	clear(p.Peers)
	p.Sizes = [SizeClasses]int64{}
	p.Collectives = Traffic{}
}
