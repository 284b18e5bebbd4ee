package bench

import (
	"cmp"

	"gobench/device"
	"gobench/internal/remedy"
)

// A Benchmark describes one benchmark: its name, the communication pattern, the meaning of its
// numbers, and the operation that is timed.
type Benchmark struct {
	Name    string   // "pingpong"
	Aliases []string // other accepted names
	About   string   // one line
	Pattern Pattern  // which ranks communicate
	Window  bool     // an event sends a window of messages

	// Metric is the key of the time metric in record.Metrics. Its value is the time of one event
	// multiplied by Scale: "half_rtt_s", 0.5.
	Metric string
	Scale  float64
	// Amount returns the number of messages of all ranks that one value of Metric covers: bandwidth
	// = Amount x size / metric.
	Amount func(ranks, window int) int
	// Rate adds the metric message_rate_per_s = Amount / metric.
	Rate bool
	// Formula defines the metrics for readers: "half_rtt = t/2, bandwidth = pairs x size /
	// half_rtt".
	Formula string

	// Collective describes an operation of all ranks; nil for point-to-point patterns. The metric
	// of a collective is global_s.
	Collective *Collective

	// Overlap adds pure, compute and overlapped times. The Op is an Overlapper.
	Overlap bool
	// Queues requires a channel that is a Matcher (levels device and comm). An event has one
	// message; with Window, the window is the length of a queue that the Op keeps between events.
	Queues bool
	// Lengths: messages of a stream have different lengths, which level raw does not allow.
	Lengths bool
	// OneSided requires a channel that implements device.Linker (level raw of some transports). The
	// size must be at least 1 byte.
	OneSided bool
	// Communicator requires a channel over a communicator (level comm).
	Communicator bool
	// Windows: an event is an epoch of one-sided operations of communicators (Case.Epoch).
	Windows bool
	// Threads reports that several threads of a rank can run the benchmark at the same time: each
	// thread has its own Op, over its own channel (Case.Threads).
	Threads bool
	// Turns reports whether the threads of a rank share one channel and one set of buffers and take
	// the events in turn. The ranks for which it is false have one thread. nil = see Threads.
	Turns func(rank, ranks int) bool
	// Only is the single message size of the benchmark in bytes, such as that of an atomic
	// operation; 0: any.
	Only int

	// Traffic describes what is under way between two ranks in a job of the given size, for the
	// path in the record; nil = one message at a time. Alloced is not used.
	Traffic func(ranks int) device.Traffic
	// Buffers returns how many message buffers each rank allocates in a job of the given size. It
	// is used to check that they fit into memory.
	Buffers func(ranks int) int
	// Timed reports whether a rank reads the clock. An event ends when the last of these ranks has
	// finished it (see merger). Rank 0 always reads.
	Timed func(rank, ranks int) bool
	// New creates the operation of one rank. Every rank calls it, on the goroutine that runs the
	// operation.
	New func(env *Env) Op
}

// check returns a *PlanError if a field is missing or the number of ranks does not fit.
func (b *Benchmark) check(ranks int) error {
	for _, field := range []struct {
		name    string
		missing bool
	}{
		{"Metric", b.Metric == ""}, {"Scale", b.Scale == 0}, {"Amount", b.Amount == nil},
		{"Buffers", b.Buffers == nil}, {"Timed", b.Timed == nil && b.Collective == nil}, {"New", b.New == nil},
	} {
		if field.missing {
			return planErrorf("benchmark %s has no %s: set that field of bench.Benchmark", b.Name, field.name)
		}
	}
	return b.Pattern.check(b.Name, ranks)
}

func (b *Benchmark) traffic(ranks int) (t device.Traffic) {
	if b.Traffic != nil {
		t = b.Traffic(ranks)
	}
	return t
}

// CheckLevel returns a *PlanError for a level at which the benchmark cannot run.
func (b *Benchmark) CheckLevel(level string) error {
	switch {
	case b.OneSided && level != "raw":
		return planErrorf("benchmark %s is for level raw: add %v", b.Name, remedy.Set("level", "raw"))
	case b.Lengths && level == "raw":
		return planErrorf("benchmark %s has messages of different lengths: add %v", b.Name, remedy.Set("level", "device"))
	case b.Queues && level != "device" && level != "comm":
		return planErrorf("benchmark %s is for levels that match messages: add %v", b.Name, remedy.Set("level", "device"))
	case b.Communicator && level != "comm":
		return planErrorf("benchmark %s is for level comm: add %v", b.Name, remedy.Set("level", "comm"))
	}
	return nil
}

// Collective describes a benchmark whose event is one operation of all ranks, timed from the first
// entry to the last exit (rule 10).
type Collective struct {
	Rooted  bool // one rank, the root, has its own role
	Chained bool // an operation cannot start before the previous one has ended on all ranks
	InPlace bool // the result replaces the input
	// Distribution names the lengths of uneven blocks, "" for equal ones.
	Distribution string
	Topology     string // of a neighbourhood operation: "cart:2"; "inter" = two groups
	// Datatype and Reduction name the type and the operator of a reduction, for the record; "" =
	// the usual ones.
	Datatype, Reduction string
	// Unit is the size of an element in bytes, of which sizes must be a multiple; 0 = 1.
	Unit int
	// Bus returns the volume per link of an ideal algorithm in messages, for a number of ranks:
	// busbw_Bps = Bus x size / time. nil = no bus bandwidth.
	Bus func(ranks int) float64
	// Algorithm is the name of the algorithm; "" = chosen by a table.
	Algorithm string
	// Shared reports that Algorithm needs memory that the ranks share.
	Shared bool
	// Library reports that Algorithm belongs to a library under the device.
	Library bool
	// Hosts reports that Algorithm needs ranks on several hosts.
	Hosts bool
}

// A Codec converts values to messages of at most four times their bytes and 1 KiB, and back.
type Codec struct {
	Name, About string // of the benchmark; About is one line
	// Encode appends the message of values to message.
	Encode func(message, values []byte) ([]byte, error)
	// Decode sets values, of as many bytes as the encoded ones, from a message.
	Decode func(values, message []byte) error
}

// A Pattern selects which ranks communicate with each other.
type Pattern int

const (
	// Pairs: rank i exchanges messages with rank i + n/2, n even, as in IMB-P2P.
	Pairs Pattern = iota
	// Chain: rank i exchanges messages with its neighbours i-1 and i+1 in the ring, n >= 2, as in
	// IMB-MPI1's Sendrecv and Exchange.
	Chain
)

// check returns a *PlanError for a number of ranks that does not fit.
func (p Pattern) check(bench string, ranks int) error {
	if ranks < 2 {
		return planErrorf("%s needs at least 2 ranks, there is %d: use %v", bench, ranks, remedy.Set("np", "2"))
	}
	if p == Pairs && ranks%2 != 0 {
		return planErrorf("%s works in pairs and needs an even number of ranks, there are %d: use %v", bench, ranks, remedy.Set("np", ranks+1))
	}
	return nil
}

// partner returns the rank with which rank 0 measures core-to-core latency.
func (p Pattern) partner(ranks int) int {
	if p == Pairs {
		return ranks / 2
	}
	return 1
}

// An Op is the timed operation of one rank.
//
// Do runs k events back to back and returns the first error of the channel. It must not allocate,
// lock, log or look in a map. All ranks call Do equally often with equal k, so messages match.
type Op interface {
	Do(k int) error
}

// A Stamper is an Op whose loop runs below Go (in C) and reads the clock itself, so that the cost
// of calling it is in no sample.
type Stamper interface {
	// Stamp runs as many events as s has room for and stores the time after each batch of s.Every.
	Stamp(s *device.Stamps) error
}

// A Checker is an Op whose received data differs from the data that was sent, such as a sum. It
// fills, poisons and checks its buffers itself, outside the timed region.
type Checker interface {
	// Prepare fills the input of one iteration and poisons the output. timed reports whether its
	// events are timed; if not, the Op may use data that reveals every wrong bit, even if the
	// arithmetic is slow with it.
	Prepare(iteration uint64, timed bool)
	// Check returns the first defect in the output of the last event, or nil. Prepare and Check are
	// called equally often on all ranks, so they may exchange messages.
	Check(iteration uint64) *DataError
}

// A Matcher is a channel that matches messages by source and tag, as a device and a communicator
// do.
type Matcher interface {
	device.Channel
	Ssend(buf []byte, dst int, tag, context int32) error
	Probe(src int, tag, context int32) (device.Status, error)
	Cancel(device.Request) error
}

// A Closer is an Op that releases resources when its case ends. No event is under way then. Close
// is called once or twice.
type Closer interface{ Close() }

// A Namer is an Op that returns the name of the algorithm that ran its events, and whether the
// table in force chooses it for them.
type Namer interface {
	Algorithm() string
	ByTable() bool
}

// An Overlapper is the Op of a benchmark with Overlap. Its operation is non-blocking and may
// progress while the rank computes.
type Overlapper interface {
	// Overlap runs k events. Each starts the operation, does work (Work.Do, or all of Work.Part)
	// and waits for the operation. The rules of Op.Do apply.
	Overlap(k int, work *Work) error
}

// A Grouper is a channel that can be split like a communicator by MPI_Comm_split: Group returns the
// channel of the ranks with the same color, ordered by key. It is collective. Closing the new
// channel does not close the old one.
type Grouper interface {
	Group(color, key int) (device.Channel, error)
}

// Fixed returns a Benchmark.Buffers function for n buffers and any number of ranks.
func Fixed(n int) func(int) int { return func(int) int { return n } }

// An Env gives the Op of one rank its channel, its parameters and its buffers. The runner fills,
// poisons and checks the buffers outside the timed region.
type Env struct {
	device.Channel
	Bytes  int // of one message
	Window int // messages per event, 1 or more
	Polls  int // calls of Test during the computation of an Overlapper
	Epoch  Epoch
	Root   Root

	buffers *buffers
	thread  int
}

// threadSlots is the number of streams of a thread.
const threadSlots = 4

// stream returns a stream of the thread for which the Op is made.
func (e *Env) stream(rank, slot int) stream { return stream{rank, slot + threadSlots*e.thread} }

// Send returns the buffer of Bytes bytes that this rank sends as its stream slot. A benchmark that
// sends the same data to all ranks uses slot 0 only. The Op must not write to it.
func (e *Env) Send(slot int) []byte { return e.SendN(slot, e.Bytes) }

// Alloc returns n bytes for an Op that is a Checker, which fills and checks them itself.
func (e *Env) Alloc(n int) []byte { return e.buffers.own(n) }

// Recv returns the buffer for the messages that rank src sends as its stream slot. The last message
// of a block is checked. It is a *DataError if an event receives nothing into the buffer.
func (e *Env) Recv(src, slot int) []byte { return e.RecvN(src, slot, e.Bytes) }

// SendN is Send for messages of n bytes, such as acknowledgements.
func (e *Env) SendN(slot, n int) []byte {
	return e.buffers.get(&e.buffers.sends, e.stream(e.Rank(), slot), n)
}

// RecvN is Recv for messages of n bytes.
func (e *Env) RecvN(src, slot, n int) []byte {
	return e.buffers.get(&e.buffers.recvs, e.stream(src, slot), n)
}

// NewEnv returns the environment of one rank with buffers of ordinary memory, for tests of an Op.
func NewEnv(ch device.Channel, bytes, window int) *Env {
	return &Env{Channel: ch, Bytes: bytes, Window: window, buffers: &buffers{rank: ch.Rank(), alloc: heapAlloc}}
}

// Context is the message context of all benchmarks.
const Context int32 = 0

// A Stream identifies the data of a block, the block Slot of Rank, for Ops that are Checkers.
type Stream struct{ Rank, Slot int }

// Fill writes the data of an iteration into b.
func (s Stream) Fill(b []byte, iteration uint64) { fill(b, s.inner().seed(iteration), 0) }

// Spoil makes every byte of b differ from that data.
func (s Stream) Spoil(b []byte, iteration uint64) { fill(b, s.inner().seed(iteration), ^uint64(0)) }

// Check returns the offset of the first byte of b that differs from that data, and the expected
// byte; -1 if there is none.
func (s Stream) Check(b []byte, iteration uint64) (at int, want byte) {
	return mismatch(b, s.inner().seed(iteration))
}

func (s Stream) inner() stream { return stream{s.Rank, s.Slot} }

// controlContext is the context of the runner's own messages.
const controlContext int32 = 1

// An Epoch selects how one-sided operations are completed. In each event, these calls surround
// them.
type Epoch string

const (
	EpochFlush Epoch = "flush" // MPI_Win_flush, in one MPI_Win_lock_all of all events
	EpochLock  Epoch = "lock"  // MPI_Win_lock (shared) and MPI_Win_unlock
	EpochFence Epoch = "fence" // MPI_Win_fence behind them
	EpochPSCW  Epoch = "pscw"  // MPI_Win_start and complete; the target MPI_Win_post and wait
)

// Epochs returns the names of all epochs.
func Epochs() []string {
	return []string{string(EpochFlush), string(EpochLock), string(EpochFence), string(EpochPSCW)}
}

func (c Case) epoch() Epoch { return cmp.Or(c.Epoch, EpochFlush) }
