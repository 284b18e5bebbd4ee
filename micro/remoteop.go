package micro

import (
	"gobench/bench"
	"gobench/device"
)

// remoteOp is one rank's part of a one-sided benchmark. A peer accesses its memory without its
// participation, so both ranks of a pair synchronise before data is changed and before it is
// checked.
type remoteOp struct {
	ch     device.Channel
	link   device.Link
	do     func(r *remoteOp, k int, s *device.Stamps) error // nil: the other rank does all
	peer   int
	window int
	first  bool
	source []byte // what is put or got
	sink   []byte // where it arrives, of this rank; nil if it arrives at the other
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
		return r // there is no memory, which the runner says
	}
	switch b.Name {
	case "put_lat":
		r.do, r.source, r.sink = do, out[:len(out)-1], in[:len(in)-1] // the last byte is the link's
	case "put_bw":
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
	r.link, r.err = env.Channel.(device.Linker).Link(r.peer, out, in)
	return r
}

func (r *remoteOp) put(k int, s *device.Stamps) error  { return r.link.Put(k, r.window, s) }
func (r *remoteOp) get(k int, s *device.Stamps) error  { return r.link.Get(k, r.window, s) }
func (r *remoteOp) pong(k int, s *device.Stamps) error { return r.link.PutPong(k, r.first, s) }

func (r *remoteOp) Do(k int) error { return r.rounds(k, nil) }

// Stamp implements bench.Stamper.
func (r *remoteOp) Stamp(s *device.Stamps) error { return r.rounds(len(s.At)*s.Every, s) }

func (r *remoteOp) rounds(k int, s *device.Stamps) error {
	if r.err != nil || r.do == nil {
		return r.err
	}
	return r.do(r, k, s)
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
	return nil
}

// Close implements bench.Closer.
func (r *remoteOp) Close() {
	if r.link != nil {
		r.link.Close()
	}
}

// remoteByte returns the data, which differs between ranks, iterations, neighbours, and pages.
func remoteByte(rank int, iteration uint64, i int) byte {
	return byte(rank*0x3D+i*0x1F+i>>8) + byte(iteration)
}
