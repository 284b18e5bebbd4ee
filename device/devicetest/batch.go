package devicetest

import (
	"errors"

	"gobench/device"
)

// batchRules test device.Batcher. A device that does not implement it passes.
func batchRules() []rule {
	return []rule{
		{name: "operations together", ranks: []int{2, 3}, run: together},
		{name: "some fail together", ranks: []int{2}, run: someFail},
		{name: "truncation together", ranks: []int{2}, run: truncatedTogether},
	}
}

// together exchanges messages of all sizes with all ranks, in two contexts. In each round some
// ranks start them together and others one by one, and all wait for them in another order, together
// with synchronous messages.
func together(r *rank) {
	b, ok := r.bare.(device.Batcher)
	if !ok {
		return
	}
	r.startAll(b, nil)
	r.waitAll(b, nil, nil)
	sizes := r.mixed()
	right, left := (r.Rank()+1)%r.Size(), (r.Rank()+r.Size()-1)%r.Size()
	for round := range 6 {
		var ops []device.Operation
		var want []device.Status // of receives
		var ins []guarded
		var keys []uint64
		for peer := range r.Size() {
			for i, n := range sizes {
				if peer == r.Rank() {
					continue
				}
				in, number := newGuarded(n), round*len(sizes)+i
				ins, keys, want = append(ins, in), append(keys, key(peer, r.Rank(), number)), append(want, device.Status{Source: peer, Tag: 4, Size: n}, device.Status{})
				ops = append(ops, device.Operation{Buf: in.buf, Peer: peer, Tag: 4, Context: int32(i % 2), Receives: true},
					device.Operation{Buf: fill(make([]byte, n), key(r.Rank(), peer, number)), Peer: peer, Tag: 4, Context: int32(i % 2)})
			}
		}
		var requests []device.Request
		if (r.Rank()+round)%2 == 0 {
			requests = r.startAll(b, ops)
		} else {
			for i := range ops {
				q, err := ops[i].Start(b)
				r.must(err, "start")
				requests = append(requests, q)
			}
		}
		in := newGuarded(300)
		ins, keys, want = append(ins, in), append(keys, key(left, r.Rank(), round)), append(want, device.Status{Source: left, Tag: 5, Size: 300}, device.Status{})
		requests = append(requests, r.irecv(in.buf, device.AnySource, 5, 1), r.issend(fill(make([]byte, 300), key(r.Rank(), right, round)), right, 5, 1))
		r.rand(round).Shuffle(len(requests), func(i, j int) {
			requests[i], requests[j], want[i], want[j] = requests[j], requests[i], want[j], want[i]
		})
		if round%3 == 1 { // one is known to be complete
			_, err := r.Peek()
			r.must(err, "peek")
		}
		statuses := make([]device.Status, len(requests))
		if round == 2 {
			r.waitAll(b, requests, nil)
		} else {
			r.waitAll(b, requests, statuses)
		}
		for i := range want {
			if round != 2 && want[i].Tag != 0 {
				r.same(statuses[i], want[i].Source, want[i].Tag, want[i].Size)
			}
			r.notLive(requests[i], "one of several requests")
		}
		for i := range ins {
			r.check(ins[i].buf, keys[i], "one of several messages")
			r.intact(ins[i])
		}
	}
	r.noneToPeek()
}

// startAll and waitAll are calls that must not fail.
func (r *rank) startAll(b device.Batcher, ops []device.Operation) []device.Request {
	requests := make([]device.Request, len(ops))
	n, err := b.StartAll(ops, requests)
	if r.must(err, "StartAll of %d", len(ops)); n != len(ops) {
		r.fail("StartAll of %d starts %d", len(ops), n)
	}
	return requests
}

func (r *rank) waitAll(b device.Batcher, requests []device.Request, statuses []device.Status) {
	_, err := b.WaitAll(requests, statuses)
	r.must(err, "WaitAll of %d", len(requests))
}

// someFail starts operations of which one is wrong, and waits for requests of which some are not
// live or cancelled. The others are as they should be.
func someFail(r *rank) {
	b, ok := r.bare.(device.Batcher)
	if !ok {
		return
	}
	peer := 1 - r.Rank()
	out, in, lost := fill(make([]byte, 40), key(r.Rank(), peer, 0)), newGuarded(40), newGuarded(8)
	requests := make([]device.Request, 4)
	n, err := b.StartAll([]device.Operation{{Buf: in.buf, Peer: peer, Receives: true}, {Buf: out, Peer: peer}, {Buf: out, Peer: r.Size()}, {Buf: out, Peer: peer}}, requests)
	var wrong *device.ArgumentError
	if n != 2 || !errors.As(err, &wrong) || wrong.Value != r.Size() {
		r.fail("StartAll starts %d and its error is %v; want 2, and an *ArgumentError for rank %d", n, err, r.Size())
	}
	cancelled := r.irecv(lost.buf, peer, 1, 0)
	r.cancel(cancelled)
	requests = []device.Request{requests[0], cancelled, requests[0], 0, requests[1]}
	statuses := make([]device.Status, len(requests))
	failed, err := b.WaitAll(requests, statuses)
	if failed != 2 || !errors.Is(err, device.ErrRequest) {
		r.fail("WaitAll: request %d failed with %v; want request 2 and ErrRequest", failed, err)
	}
	r.same(statuses[0], peer, 0, 40)
	if !statuses[1].Cancelled {
		r.fail("a receive that nothing matched is not cancelled: %+v", statuses[1])
	}
	for _, q := range requests {
		r.notLive(q, "a request beside one that failed")
	}
	r.check(in.buf, key(peer, r.Rank(), 0), "a message beside an operation that failed")
	r.intact(in)
	r.intact(lost)
	r.noneToPeek()
}

// truncatedTogether receives messages of which some are too long. The rule of truncation checks
// what of these is stored, and their size.
func truncatedTogether(r *rank) {
	b, ok := r.bare.(device.Batcher)
	if !ok {
		return
	}
	const count, size = 10, 8
	var ops []device.Operation
	var ins []guarded
	for i := range int32(count) {
		if r.Rank() == 0 {
			ops = append(ops, device.Operation{Buf: fill(make([]byte, size), uint64(i)), Peer: 1, Tag: i})
			continue
		}
		room := size
		if i%4 == 3 {
			room = 5
		}
		ins = append(ins, newGuarded(room))
		ops = append(ops, device.Operation{Buf: ins[i].buf, Tag: i, Receives: true})
	}
	requests, statuses := r.startAll(b, ops), make([]device.Status, count)
	if r.Rank() == 0 {
		r.waitAll(b, requests, statuses)
		return
	}
	failed, err := b.WaitAll(requests, statuses)
	var first *device.TruncationError
	if failed != 3 || !errors.As(err, &first) || first.Source != 0 || first.Tag != 3 || first.Room != 5 {
		r.fail("request %d is the first that failed, with %v; want request 3, which is truncated to 5 bytes", failed, err)
	}
	for i := range ins {
		if len(ins[i].buf) == size {
			r.same(statuses[i], 0, int32(i), size)
			r.check(ins[i].buf, uint64(i), "a message beside one that is too long")
		}
		r.intact(ins[i])
		r.notLive(requests[i], "a request beside a truncated one")
	}
}
