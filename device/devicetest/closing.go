package devicetest

import (
	"errors"

	"gobench/device"
)

func closeRules() []rule {
	return []rule{
		{name: "after close", ranks: []int{2}, run: afterClose, alone: true},
		{name: "a receiver closes", ranks: []int{2, 4}, run: receiverCloses, alone: true},
		{name: "close delivers", ranks: []int{2, 4}, run: closeDelivers, alone: true},
		{name: "a rank closes early", ranks: []int{2, 3}, run: closesEarly, alone: true},
	}
}

func afterClose(r *rank) {
	var b [8]byte
	q := r.irecv(b[:], device.AnySource, 5, 5)
	r.cancel(q)
	r.wait(q)
	r.sync()
	r.must(r.Close(), "close")
	peer := 1 - r.Rank()
	closed := func(err error, what string) {
		if !errors.Is(err, device.ErrClosed) {
			r.fail("%s after Close: error is %v, want ErrClosed", what, err)
		}
	}
	_, err := r.Isend(b[:], peer, 0, 0)
	closed(err, "Isend")
	_, err = r.Issend(b[:], peer, 0, 0)
	closed(err, "Issend")
	_, err = r.Irecv(b[:], peer, 0, 0)
	closed(err, "Irecv")
	_, err = r.Recv(b[:], peer, 0, 0)
	closed(err, "Recv")
	closed(r.Send(b[:], peer, 0, 0), "Send")
	closed(r.Ssend(b[:], peer, 0, 0), "Ssend")
	_, err = r.Wait(q)
	closed(err, "Wait")
	_, _, err = r.Test(q)
	closed(err, "Test")
	_, _, err = r.Iprobe(peer, 0, 0)
	closed(err, "Iprobe")
	_, err = r.Probe(peer, 0, 0)
	closed(err, "Probe")
	_, err = r.Peek()
	closed(err, "Peek")
	closed(r.Cancel(q), "Cancel")
	_, err = r.Alloc(10)
	closed(err, "Alloc")
	if all, ok := r.bare.(device.Batcher); ok {
		_, err = all.StartAll([]device.Operation{{Buf: b[:], Peer: peer}}, []device.Request{0})
		closed(err, "StartAll")
		_, err = all.WaitAll([]device.Request{q}, nil)
		closed(err, "WaitAll")
	}
}

// closeDelivers closes right after starting sends. They arrive all the same,
// small and large ones, at a rank that takes its time.
func closeDelivers(r *rank) {
	sizes := r.mixed()
	if r.Rank() != 0 {
		for i, n := range sizes {
			r.isend(fill(make([]byte, n), key(r.Rank(), 0, i)), 0, int32(i), 0)
		}
		r.must(r.Close(), "close with sends under way")
		return
	}
	for src := r.Size() - 1; src > 0; src-- {
		for i, n := range sizes {
			in := make([]byte, n)
			r.same(r.recv(in, src, int32(i), 0), src, int32(i), n)
			r.check(in, key(src, 0, i), "message of a rank that has closed")
		}
	}
}

// receiverCloses closes rank 0 right after it has received all messages. Their sends succeed, even
// if the sender learns only afterwards that they have been received.
func receiverCloses(r *rank) {
	sizes := r.mixed()
	if r.Rank() == 0 {
		for src := 1; src < r.Size(); src++ {
			for i, n := range sizes {
				r.same(r.recv(make([]byte, n), src, int32(i), 0), src, int32(i), n)
			}
		}
		r.must(r.Close(), "close")
		return
	}
	var open []device.Request
	for i, n := range sizes {
		start := r.isend
		if i%2 == 1 {
			start = r.issend
		}
		open = append(open, start(make([]byte, n), 0, int32(i), 0))
	}
	for _, q := range open {
		r.wait(q)
	}
}

// closesEarly closes the last rank while others wait for it. They get a *PeerError, and can still
// exchange messages with each other.
func closesEarly(r *rank) {
	gone := r.Size() - 1
	if r.Rank() == gone {
		r.sync()
		r.must(r.Close(), "close")
		return
	}
	small, large := make([]byte, 8), make([]byte, 4<<20)
	early := r.irecv(small, gone, 1, 0)
	r.sync()
	_, err := r.Recv(large, gone, 0, 0)
	r.lost(err, gone, "Recv from a rank that has closed")
	_, err = r.Wait(early)
	r.lost(err, gone, "Wait for a receive from a rank that has closed")
	r.lost(r.Ssend(small, gone, 0, 0), gone, "Ssend to a rank that has closed")
	r.lost(r.Send(large, gone, 0, 0), gone, "Send to a rank that has closed")
	_, err = r.Probe(gone, 0, 0)
	r.lost(err, gone, "Probe of a rank that has closed")
	r.survivors(gone)
	if r.Size() == 2 {
		_, err = r.Recv(small, device.AnySource, 0, 0)
		r.lost(err, gone, "Recv from AnySource when all others have closed")
	}
}
