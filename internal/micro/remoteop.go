package micro

import (
	"encoding/binary"

	"gobench/bench"
	"gobench/device"
)

// remoteOp is one rank's part of a one-sided benchmark. The peer accesses the memory of this rank
// without its participation, so both ranks of a pair synchronise after data is prepared and before
// it is checked.
type remoteOp struct {
	ch     device.Channel
	link   device.Link
	do     func(r *remoteOp, k int, s *device.Stamps) error // nil: passive rank
	peer   int
	window int
	first  bool
	source []byte // source of puts or gets
	sink   []byte // their target on this rank; nil if it is on the other
	atomic []byte // of atomic operations: the integer, or on the first rank its last fetched value
	from   uint64 // first value of the integer
	done   uint64 // operations since the data was prepared
	token  [2]byte
	err    error
}

func newRemote(env *bench.Env, b bench.Benchmark, do func(r *remoteOp, k int, s *device.Stamps) error) *remoteOp {
	r := &remoteOp{ch: env.Channel, peer: partner(env.Rank(), env.Size()), first: first(env.Rank(), env.Size()), window: env.Window}
	if !b.Window {
		r.window = 1
	}
	out, in := env.Alloc(env.Bytes), env.Alloc(env.Bytes)
	if len(out) == 0 || len(in) == 0 {
		return r // no memory: the runner reports it
	}
	op := operations[b.Name]
	switch op {
	case device.LinkPutPong:
		r.do, r.source, r.sink = do, out[:len(out)-1], in[:len(in)-1] // the last byte is the link's
	case device.LinkFetchAdd, device.LinkCompareSwap:
		if r.atomic = in; r.first {
			r.atomic = out
		}
	case device.LinkPut:
		r.source = out
		if !r.first {
			r.sink = in
		}
	default:
		r.source = in
		if r.first {
			r.sink = out
		}
	}
	if r.first {
		r.do = do
	}
	linker := env.Channel.(device.Linker)
	if r.err = linker.Offers(op); r.err == nil {
		r.link, r.err = linker.Link(r.peer, out, in)
	}
	return r
}

// operations maps benchmarks to their operations.
var operations = map[string]device.LinkOperation{
	"put_lat": device.LinkPutPong, "put_bw": device.LinkPut, "get_lat": device.LinkGet, "get_bw": device.LinkGet,
	"fadd_lat": device.LinkFetchAdd, "fadd_bw": device.LinkFetchAdd,
	"cswap_lat": device.LinkCompareSwap, "cswap_bw": device.LinkCompareSwap,
}

func (r *remoteOp) put(k int, s *device.Stamps) error { return r.link.Put(k, r.window, s) }
func (r *remoteOp) get(k int, s *device.Stamps) error { return r.link.Get(k, r.window, s) }
func (r *remoteOp) add(k int, s *device.Stamps) error { return r.link.FetchAdd(k, r.window, s) }
func (r *remoteOp) swap(k int, s *device.Stamps) error {
	return r.link.CompareSwap(k, r.window, r.from+r.done, s)
}
func (r *remoteOp) pong(k int, s *device.Stamps) error { return r.link.PutPong(k, r.first, s) }

func (r *remoteOp) Do(k int) error { return r.rounds(k, nil) }

// Stamp implements bench.Stamper.
func (r *remoteOp) Stamp(s *device.Stamps) error { return r.rounds(len(s.At)*s.Every, s) }

func (r *remoteOp) rounds(k int, s *device.Stamps) error {
	if r.err != nil {
		return r.err
	}
	if r.do != nil {
		if err := r.do(r, k, s); err != nil {
			return err
		}
	}
	r.done += uint64(k * r.window) // also on the passive rank
	return nil
}

// meet synchronises with the other rank. An error is returned by the next Do.
func (r *remoteOp) meet() {
	if r.err != nil {
		return
	}
	var q device.Request
	if q, r.err = r.ch.Isend(r.token[:1], r.peer, tag, bench.Context); r.err != nil {
		return
	}
	if _, r.err = r.ch.Recv(r.token[1:], r.peer, tag, bench.Context); r.err == nil {
		_, r.err = r.ch.Wait(q)
	}
}

// Prepare implements bench.Checker.
func (r *remoteOp) Prepare(iteration uint64, _ bool) {
	for i := range r.source {
		r.source[i] = remoteByte(r.ch.Rank(), iteration, i)
	}
	for i := range r.sink {
		r.sink[i] = ^remoteByte(r.peer, iteration, i)
	}
	if r.atomic != nil {
		r.from, r.done = remoteInteger(iteration), 0
		binary.NativeEndian.PutUint64(r.atomic, r.from)
	}
	r.meet()
}

// Check implements bench.Checker.
func (r *remoteOp) Check(iteration uint64) *bench.DataError {
	r.meet()
	for i, got := range r.sink {
		if want := remoteByte(r.peer, iteration, i); got != want {
			return &bench.DataError{Size: len(r.sink), Source: r.peer, Offset: i, Want: want, Got: got}
		}
	}
	if r.atomic != nil {
		return r.checkInteger()
	}
	return nil
}

// checkInteger checks the integer: on the rank that owns it, its value after all operations; on the
// other, that the last fetched value is one of those before an operation, in any order.
func (r *remoteOp) checkInteger() *bench.DataError {
	low, high := r.from+r.done, r.from+r.done
	if r.first && r.done > 0 {
		low, high = r.from, r.from+r.done-1
	}
	got := binary.NativeEndian.Uint64(r.atomic)
	if got-low <= high-low {
		return nil
	}
	var want [atomicSize]byte
	binary.NativeEndian.PutUint64(want[:], high)
	at := 0
	for at < len(want)-1 && want[at] == r.atomic[at] {
		at++
	}
	return &bench.DataError{Size: len(r.atomic), Source: r.peer, Offset: at, Want: want[at], Got: r.atomic[at]}
}

// remoteInteger returns the first value of the integer of atomic operations. Each byte differs
// between iterations.
func remoteInteger(iteration uint64) uint64 { return 0x0101010101010101 * (iteration&0x3f + 1) }

// Close implements bench.Closer.
func (r *remoteOp) Close() {
	if r.link != nil {
		r.link.Close()
	}
}

// remoteByte returns byte i of the data, which differs between ranks, iterations, successive bytes
// and pages.
func remoteByte(rank int, iteration uint64, i int) byte {
	return byte(rank*0x3D+i*0x1F+i>>8) + byte(iteration)
}
