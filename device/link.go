package device

// A Linker is a Channel of level "raw" that runs the loop of a point-to-point benchmark itself,
// below Send and Recv. RDMA benchmarks need it. Message benchmarks use it if an option of the
// transport selects a loop in C, as perftest has.
type Linker interface {
	// Native reports whether the loops run in C, as perftest's do. If not, messages are measured
	// with Send and Recv.
	Native() bool
	// PingPong runs k round trips with a peer; out and in have equal length. It may be called only
	// if Native reports true. Both ranks call it, one of them with first set. It is equivalent to k
	// calls of Send and Recv (or of Recv and Send). Each pair is one round of stamps, which may be
	// nil.
	PingPong(out, in []byte, peer, k int, first bool, stamps *Stamps) error
	// Link registers buffers for one-sided access (RDMA write and read) between two ranks. Both
	// call it, with buffers of one length, at least one byte: the peer writes to and reads from in,
	// this rank writes from and reads into out. No message may be under way between the two.
	Link(peer int, out, in []byte) (Link, error)
	// Offers returns nil if links support an operation, else the reason why the network or an
	// option excludes it.
	Offers(op LinkOperation) error
}

// LinkOperation is an operation of a Link.
type LinkOperation uint8

// Operations of a Link.
const (
	LinkPut LinkOperation = iota
	LinkPutPong
	LinkGet
	LinkFetchAdd
	LinkCompareSwap
)

func (o LinkOperation) String() string {
	return [...]string{"a put", "a put there and back", "a get", "fetch-and-add", "compare-and-swap"}[o]
}

// A Link connects the buffers of two ranks for one-sided access (RDMA). It returns the errors of
// a Channel. None of its calls allocates. Stamps may be nil.
type Link interface {
	// Put writes out to the peer's memory, in rounds of each writes. It returns when the last round
	// has been written there, or, over unreliable connections (UC) and iWARP, when it has been
	// sent. The peer makes no call.
	Put(rounds, each int, stamps *Stamps) error
	// Get reads the peer's memory into out, in rounds of each reads.
	Get(rounds, each int, stamps *Stamps) error
	// FetchAdd adds 1 to the first 8 bytes of the peer's memory, an integer in the byte order of
	// the hosts, in rounds of each atomic operations. The value before each is written to out.
	FetchAdd(rounds, each int, stamps *Stamps) error
	// CompareSwap increments the same 8 bytes by compare-and-swap, in rounds of each atomic
	// operations. The first expects the value from, each further one the value that the one before
	// has stored.
	CompareSwap(rounds, each int, from uint64, stamps *Stamps) error
	// PutPong runs k RDMA-write ping-pongs, as ib_write_lat of perftest does. The waiting side
	// polls the last byte of in, which carries the round number; so the last byte of both buffers
	// is reserved. Both ranks call it; the one that is first begins.
	PutPong(k int, first bool, stamps *Stamps) error
	// Close deregisters the buffers. The peer must have finished its calls.
	Close()
}

// Stamps collects timestamps from a loop that runs below a Channel, so that no caller code is
// timed. A nil Stamps, or one whose At is full, records nothing.
type Stamps struct {
	At    []int64      // the times after every Every rounds, ns of CLOCK_MONOTONIC
	Every int          // rounds
	Now   func() int64 // reads that clock, for rounds that the loop cannot run itself
	Made  int          // times recorded in At
	Left  int          // rounds until the next
}

// Begin prepares s to record len(at) times, one after each every rounds.
func (s *Stamps) Begin(at []int64, every int, now func() int64) {
	*s = Stamps{At: at, Every: every, Now: now, Left: every}
}

// Round records the end of a round.
func (s *Stamps) Round() {
	if s == nil || s.Made == len(s.At) {
		return
	}
	if s.Left--; s.Left == 0 {
		s.At[s.Made] = s.Now()
		s.Made++
		s.Left = s.Every
	}
}
