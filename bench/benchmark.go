package bench

import "gobench/device"

// Benchmark describes one benchmark: what it is called, who takes part, what
// its numbers mean, and how to make its operation.
type Benchmark struct {
	Name    string   // "pingpong"
	Aliases []string // other names people know it by
	About   string   // one line
	Pattern Pattern  // who talks to whom
	Window  bool     // sends a window of messages per event

	// Metric is the key of the time metric in record.Metrics, and Scale what
	// the time of one event is multiplied by to get it: "half_rtt_s", 0.5.
	Metric string
	Scale  float64
	// Amount is the number of messages for which one value of Metric counts,
	// over all ranks: bandwidth = Amount x size / metric. It is given the
	// number of ranks and the window.
	Amount func(ranks, window int) int
	// Rate asks for the metric message_rate_per_s = Amount / metric as well.
	Rate bool
	// Formula says the same for people: "half_rtt = t/2, bandwidth = pairs x size / half_rtt".
	Formula string

	// Collective says that an event is one operation of all ranks, timed from the
	// first entry to the last exit (see operations.go). Metric is then global_s.
	Collective bool
	Rooted     bool // one rank plays a part of its own
	Chained    bool // an operation begins when the one before has ended on all ranks, so that several may be timed together
	InPlace    bool // the result takes the place of the input
	// Overlap says that the Op is an Overlapper: pure, compute and overlapped time are
	// measured as well.
	Overlap bool
	// Unit is what sizes must be a multiple of: the bytes of an element; 0 = 1.
	Unit int
	// Bus is what the time of a collective is divided into for busbw_Bps, in
	// messages, for a number of ranks; nil = none.
	Bus func(ranks int) float64
	// Algorithm names how the operation is to be done, "" if that is left to a table.
	Algorithm string
	// Shared says that Algorithm needs memory that the ranks share.
	Shared bool

	// Links says that the channel must be a device.Linker, which it is at level raw of some transports; no message is
	// shorter than one byte then.
	Links bool

	// Buffers is the number of message buffers of a rank among so many, for the
	// check that they fit into memory.
	Buffers func(ranks int) int
	// Timed reports whether rank reads the clock; an event ends when the last
	// of these ranks has finished it (see times.go). Rank 0 always reads.
	Timed func(rank, ranks int) bool
	// New makes the operation of one rank. It is called on every rank, on the
	// goroutine that will run it.
	New func(env *Env) Op
}

// Op is the timed operation of one rank.
//
// Do runs k events back to back and returns the first error of the channel. It
// allocates nothing, takes no lock, logs nothing and looks in no map. Ranks
// call Do equally often with equal k, so messages match.
type Op interface {
	Do(k int) error
}

// Stamper is the optional ability of an Op whose loop is not Go to read the clock itself, so that what Go costs is in
// no sample.
type Stamper interface {
	// Stamp runs as many events as s has room for and notes the time after each batch of s.Every.
	Stamp(s *device.Stamps) error
}

// Checker is the optional ability of an Op whose data is not what one rank sends
// to another, such as a sum. It fills, poisons and checks its buffers itself, outside
// the timed region.
type Checker interface {
	// Prepare makes the input of one iteration and spoils the output. timed says whether
	// its events are timed: if not, the data may be such that a wrong bit is sure to
	// show, whatever the arithmetic takes.
	Prepare(iteration uint64, timed bool)
	// Check returns the first defect of the output of the last event, or nil. Both are called equally often on all
	// ranks, so they may exchange messages.
	Check(iteration uint64) *DataError
}

// Closer is the optional ability of an Op to give back what it holds when its cell ends. No event is under way then.
type Closer interface{ Close() }

// Namer is the optional ability of an Op to say which algorithm did its events.
type Namer interface{ Algorithm() string }

// Fixed is a number of buffers that does not depend on the number of ranks.
func Fixed(n int) func(int) int { return func(int) int { return n } }

// Env is what an Op is made of. It gives out buffers: filling, poisoning and
// checking them, outside the timed region, is the runner's part.
type Env struct {
	device.Channel
	Bytes  int // of one message
	Window int // messages per event, 1 or more
	Root   Root

	buffers *buffers
}

// NewEnv makes the environment of one rank with buffers of ordinary memory, for tests that drive
// an Op themselves.
func NewEnv(ch device.Channel, bytes, window int) *Env {
	return &Env{Channel: ch, Bytes: bytes, Window: window, buffers: &buffers{rank: ch.Rank(), alloc: heapAlloc}}
}

// Send returns the buffer, Bytes long, that this rank sends as its stream
// slot. A benchmark that sends the same data to all uses slot 0 only. The Op
// only reads it.
func (e *Env) Send(slot int) []byte { return e.SendN(slot, e.Bytes) }

// Alloc returns n bytes for an Op that is a Checker: it knows what they hold.
func (e *Env) Alloc(n int) []byte { return e.buffers.own(n) }

// Recv returns the buffer for what rank src sends as its stream slot. It is
// where every message of that stream goes: the last one stays and is checked.
func (e *Env) Recv(src, slot int) []byte { return e.RecvN(src, slot, e.Bytes) }

// SendN and RecvN are Send and Recv for messages of another length, such as
// acknowledgements.
func (e *Env) SendN(slot, n int) []byte {
	return e.buffers.get(&e.buffers.sends, stream{e.Rank(), slot}, n)
}

func (e *Env) RecvN(src, slot, n int) []byte {
	return e.buffers.get(&e.buffers.recvs, stream{src, slot}, n)
}

// Context is the context of all messages of benchmarks.
const Context int32 = 0

// controlContext is the context of the runner's own messages.
const controlContext int32 = 1
