package micro

import (
	"encoding/binary"
	"fmt"
	"strings"

	"gobench/bench"
	"gobench/comm"
	"gobench/comm/op"
)

// The benchmarks of windows measure one-sided operations of communicators, with the names of
// IMB-RMA. An epoch (bench.Case.Epoch) contains one operation, or a window of them in those of
// bandwidth. The windows are allocated, as OSU's are by default.

// windows returns the benchmarks.
func windows() []bench.Benchmark {
	const time = "t = time of one operation with the calls that complete it at the target"
	return []bench.Benchmark{
		windowed("put", "one put into a window of the peer, completed there: the time of one", time, false, (*access).put, "unidir_put", "osu_put_latency"),
		windowed("get", "one get from a window of the peer: the time of one", time, false, (*access).get, "unidir_get", "osu_get_latency"),
		windowed("accumulate", "one sum of bytes into a window of the peer, completed there: the time of one", time, false, (*access).accumulate, "osu_acc_latency"),
		windowed("get_accumulate", "one sum of bytes into a window of the peer that returns what was there before: the time of one", time, false, (*access).getAccumulate, "osu_get_acc_latency"),
		windowed("fetch_and_op", "one fetch-and-add of an integer in a window of the peer: the time of one", time, false, (*access).fetchAdd, "osu_fop_latency"),
		windowed("compare_and_swap", "one compare-and-swap of an integer in a window of the peer: the time of one", time, false, (*access).swap, "osu_cas_latency"),
		windowed("put_uniband", "puts into a window of the peer, completed together: bandwidth and message rate", "", false, (*access).put, "osu_put_bw"),
		windowed("get_uniband", "gets from a window of the peer, completed together: bandwidth and message rate", "", false, (*access).get, "osu_get_bw"),
		windowed("put_biband", "puts of both ranks into windows of each other, completed together: bandwidth and message rate", "", true, (*access).put, "osu_put_bibw"),
	}
}

// windowed completes a benchmark. Without the formula of a latency it is one of bandwidth. both
// makes both ranks of a pair access each other's part.
func windowed(name, about, formula string, both bool, do func(*access) error, aliases ...string) bench.Benchmark {
	b := bench.Benchmark{
		Name: name, About: about, Aliases: aliases, Formula: formula + ", bandwidth = pairs x size / t (IMB-RMA, OSU)",
		Pattern: bench.Pairs, Windows: true, Communicator: true,
		Metric: "t_s", Scale: 1,
		Amount:  func(ranks, _ int) int { return ranks / 2 },
		Buffers: bench.Fixed(6), // two and the window, and as many for the checks with one operation
		Timed:   first,
	}
	if name == "fetch_and_op" || name == "compare_and_swap" {
		b.Only = atomicSize
	}
	if formula == "" {
		sides := 1
		if both {
			sides, b.Timed = 2, all
		}
		b.Window, b.Rate = true, true
		b.Amount = func(ranks, window int) int { return ranks / 2 * sides * window }
		b.Formula = "t = time of one window of operations by all pairs with the calls that complete them; bandwidth = operations x size / t (OSU)"
	}
	b.New = func(env *bench.Env) bench.Op { return newAccess(env, &b, both, do) }
	return b
}

// An access is one rank's part of a benchmark of windows.
type access struct {
	win          *comm.Window[uint8] // of bytes, or
	integers     *comm.Window[uint64]
	sync         synchronised // either
	c            *comm.Comm
	do           func(*access) error // nil: a passive rank
	name         string
	epoch        bench.Epoch
	me, peer     int
	peers        []int // peer
	exposed      bool  // this rank's part is accessed
	each         int   // operations of an epoch
	data, result []byte
	fetched      [1]uint64
	from, done   uint64 // the integer at first; operations since then
	err          error
}

// synchronised is a window without its type.
type synchronised interface {
	Fence() error
	Post(origins ...int) error
	Start(targets ...int) error
	Complete() error
	Wait() error
	Lock(target int, shared bool) error
	Unlock(target int) error
	LockAll() error
	UnlockAll() error
	Flush(target int) error
	Close() error
}

func newAccess(env *bench.Env, b *bench.Benchmark, both bool, do func(*access) error) *access {
	a := &access{
		name: b.Name, epoch: env.Epoch, me: env.Rank(), peer: partner(env.Rank(), env.Size()), each: env.Window,
		data: env.Alloc(env.Bytes), result: env.Alloc(env.Bytes),
	}
	a.peers = []int{a.peer}
	if a.c, a.err = communicator(env, b.Name); a.err != nil {
		return a
	}
	origin := first(env.Rank(), env.Size())
	a.exposed = both || !origin
	if both || origin {
		a.do = do
	}
	if !b.Window {
		a.each = 1
	}
	if b.Only > 0 {
		a.integers, a.err = comm.AllocWindow[uint64](a.c, 1)
		a.sync = a.integers
	} else {
		a.win, a.err = comm.AllocWindow[uint8](a.c, env.Bytes)
		a.sync = a.win
	}
	if a.err == nil && a.epoch == bench.EpochFlush {
		a.err = a.sync.LockAll()
	}
	return a
}

// communicator returns the communicator under the channel of a benchmark that needs one.
func communicator(env *bench.Env, name string) (*comm.Comm, error) {
	over, ok := env.Channel.(interface{ Comm() *comm.Comm })
	if !ok {
		return nil, fmt.Errorf("benchmark %s needs a communicator", name)
	}
	return over.Comm(), nil
}

func (a *access) put() error        { return a.win.Put(a.data, a.peer, 0) }
func (a *access) get() error        { return a.win.Get(a.result, a.peer, 0) }
func (a *access) accumulate() error { return a.win.Accumulate(a.data, op.Sum[uint8](), a.peer, 0) }
func (a *access) getAccumulate() error {
	return a.win.GetAccumulate(a.data, a.result, op.Sum[uint8](), a.peer, 0)
}

var one = []uint64{1}

func (a *access) fetchAdd() error {
	return a.integers.GetAccumulate(one, a.fetched[:], op.Sum[uint64](), a.peer, 0)
}

// swap expects what the swap before has stored.
func (a *access) swap() error {
	v := a.from + a.done
	return a.integers.CompareAndSwap(v, v+1, &a.fetched[0], a.peer, 0)
}

// Do implements bench.Op.
func (a *access) Do(k int) error {
	if a.err != nil {
		return a.err
	}
	for range k {
		if err := a.begin(); err != nil {
			return err
		}
		if a.do != nil {
			for range a.each {
				if err := a.do(a); err != nil {
					return err
				}
			}
		}
		if err := a.end(); err != nil {
			return err
		}
		a.done += uint64(a.each) // also on a passive rank
	}
	return nil
}

// begin begins the epoch of an event.
func (a *access) begin() error {
	if a.epoch == bench.EpochPSCW && a.exposed {
		if err := a.sync.Post(a.peers...); err != nil {
			return err
		}
	}
	if a.epoch == bench.EpochPSCW && a.do != nil {
		return a.sync.Start(a.peers...)
	}
	if a.epoch == bench.EpochLock && a.do != nil {
		return a.sync.Lock(a.peer, true)
	}
	return nil
}

// end ends it: the operations are complete.
func (a *access) end() error {
	switch {
	case a.epoch == bench.EpochFence:
		return a.sync.Fence()
	case a.epoch == bench.EpochPSCW:
		if a.do != nil {
			if err := a.sync.Complete(); err != nil {
				return err
			}
		}
		if a.exposed {
			return a.sync.Wait()
		}
	case a.do == nil:
	case a.epoch == bench.EpochLock:
		return a.sync.Unlock(a.peer)
	default:
		return a.sync.Flush(a.peer)
	}
	return nil
}

// Slots of the data of a rank.
const (
	slotSource = 0
	slotWindow = 1 // what its part holds before the operations
)

// Prepare implements bench.Checker.
func (a *access) Prepare(iteration uint64, _ bool) {
	mine, theirs := bench.Stream{Rank: a.me, Slot: slotSource}, bench.Stream{Rank: a.peer, Slot: slotSource}
	mine.Fill(a.data, iteration)
	bench.Stream{Rank: a.peer, Slot: slotWindow}.Spoil(a.result, iteration)
	a.from, a.done = remoteInteger(iteration), 0
	switch {
	case a.err != nil:
		return
	case a.integers != nil:
		a.integers.Local()[0], a.fetched[0] = a.from, ^a.from
	case a.puts():
		theirs.Spoil(a.win.Local(), iteration)
	default:
		bench.Stream{Rank: a.me, Slot: slotWindow}.Fill(a.win.Local(), iteration)
	}
	a.err = comm.Barrier(a.c)
}

func (a *access) puts() bool { return strings.HasPrefix(a.name, "put") }
func (a *access) sums() bool { return strings.HasSuffix(a.name, "accumulate") }

// Check implements bench.Checker.
func (a *access) Check(iteration uint64) *bench.DataError {
	if a.err == nil {
		a.err = comm.Barrier(a.c)
	}
	mine, theirs := bench.Stream{Rank: a.me, Slot: slotSource}, bench.Stream{Rank: a.peer, Slot: slotSource}
	own, others := bench.Stream{Rank: a.me, Slot: slotWindow}, bench.Stream{Rank: a.peer, Slot: slotWindow}
	switch {
	case a.err != nil || a.done == 0: // the next Do returns the error
	case a.integers != nil && a.exposed:
		return a.integer(a.integers.Local()[0], a.from+a.done)
	case a.integers != nil:
		return a.integer(a.fetched[0], a.from+a.done-1)
	case a.exposed && a.puts():
		return a.differs(a.win.Local(), theirs, theirs, 0, iteration)
	case a.exposed && a.sums():
		return a.differs(a.win.Local(), own, theirs, a.done, iteration)
	case a.do != nil && a.name == "get_accumulate":
		return a.differs(a.result, others, mine, a.done-1, iteration)
	case a.do != nil && !a.puts() && !a.sums():
		return a.differs(a.result, others, mine, 0, iteration)
	}
	return nil
}

// differs compares bytes with those of a stream to which those of another one were added.
func (a *access) differs(got []byte, from, added bench.Stream, times, iteration uint64) *bench.DataError {
	want, term := make([]byte, len(got)), make([]byte, len(got))
	from.Fill(want, iteration)
	added.Fill(term, iteration)
	for i := range got {
		if w := want[i] + byte(times)*term[i]; got[i] != w {
			return &bench.DataError{Size: len(got), Source: a.peer, Offset: i, Want: w, Got: got[i]}
		}
	}
	return nil
}

// integer compares an integer.
func (a *access) integer(got, want uint64) *bench.DataError {
	var g, w [atomicSize]byte
	binary.NativeEndian.PutUint64(g[:], got)
	binary.NativeEndian.PutUint64(w[:], want)
	for i := range g {
		if g[i] != w[i] {
			return &bench.DataError{Size: atomicSize, Source: a.peer, Offset: i, Want: w[i], Got: g[i]}
		}
	}
	return nil
}

// Close implements bench.Closer.
func (a *access) Close() {
	if a.sync == nil || a.err != nil {
		return
	}
	if a.epoch == bench.EpochFlush {
		a.sync.UnlockAll()
	}
	a.sync.Close()
	a.sync = nil
}
