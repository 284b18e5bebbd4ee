package devicetest

import "gobench/device"

func cancelRules() []rule {
	return []rule{
		{name: "cancel a receive", ranks: []int{2}, run: cancelReceive},
		{name: "cancel a send", ranks: []int{2}, run: cancelSend},
		{name: "cancel too late", ranks: []int{2}, run: cancelLate},
		{name: "cancelled sends race with receives", ranks: []int{2}, run: raceSend},
		{name: "cancelled receives race with sends", ranks: []int{2}, run: raceReceive},
	}
}

func (r *rank) cancel(q device.Request) { r.must(r.Cancel(q), "cancel") }

// cancelReceive cancels receives that nothing matches. The message that comes
// later goes to the next receive.
func cancelReceive(r *rank) {
	var token [1]byte
	for _, n := range r.mixed() {
		if r.Rank() == 1 {
			r.recv(token[:], 0, 0, 9)
			r.send(fill(make([]byte, n), 3), 0, 1, 0)
			continue
		}
		given, next := newGuarded(n), newGuarded(n)
		q := r.irecv(given.buf, device.AnySource, 1, 0)
		q2 := r.irecv(next.buf, 1, device.AnyTag, 0)
		r.cancel(q)
		if p, err := r.Peek(); err != nil || p != q {
			r.fail("Peek returns %#x, %v; want the cancelled request %#x", p, err, q)
		}
		if st := r.wait(q); !st.Cancelled {
			r.fail("a receive that nothing matched is not cancelled: %+v", st)
		}
		r.notLive(q, "a cancelled receive that was waited for")
		r.send(token[:], 1, 0, 9)
		r.same(r.wait(q2), 1, 1, n)
		r.check(next.buf, 3, "message after a cancelled receive")
		for i, b := range given.buf {
			if b != guardByte {
				r.fail("byte %d of the cancelled receive's buffer was written", i)
			}
		}
		r.intact(given)
	}
	r.noneToPeek()
}

// cancelSend takes back sends that the receiver has seen but not matched.
func cancelSend(r *rank) {
	var token [1]byte
	for i, n := range r.mixed() {
		tag := int32(i)
		if r.Rank() == 1 {
			r.probe(0, tag, 0)
			q := r.irecv(token[:], 0, 0, 9)
			r.send(token[:], 0, 0, 9)
			r.wait(q)
			in := make([]byte, n)
			r.same(r.recv(in, 0, device.AnyTag, 0), 0, tag, n)
			r.check(in, 2, "the message after a cancelled one")
			if st, found := r.iprobe(0, device.AnyTag, 0); found {
				r.fail("a message is left over: %+v", st)
			}
			r.sync()
			continue
		}
		out := fill(make([]byte, n), 1)
		q := r.issend(out, 1, tag, 0)
		r.recv(token[:], 1, 0, 9)
		r.cancel(q)
		r.cancel(q) // a second Cancel has no effect
		if st := r.wait(q); !st.Cancelled {
			r.fail("a synchronous send of %d bytes that nobody received is not cancelled: %+v", n, st)
		}
		r.send(token[:], 1, 0, 9)
		r.send(fill(out, 2), 1, tag, 0)
		r.sync()
	}
}

// cancelLate cancels what is complete: the ordinary result stays.
func cancelLate(r *rank) {
	peer := 1 - r.Rank()
	for _, n := range r.mixed() {
		in := make([]byte, n)
		receive := r.irecv(in, peer, 1, 0)
		send := r.issend(fill(make([]byte, n), 9), peer, 1, 0)
		for range 2 { // both are complete after the second
			q, err := r.Peek()
			r.must(err, "peek")
			r.cancel(q)
			st := r.wait(q)
			if st.Cancelled {
				r.fail("a request that was complete is cancelled")
			}
			if q == receive {
				r.same(st, peer, 1, n)
				r.check(in, 9, "message")
			} else if q != send {
				r.fail("Peek returned an unknown request")
			}
		}
	}
}

// raceSend cancels sends that may or may not be matched: either the
// message arrives, or it is cancelled, never both and never neither.
func raceSend(r *rank) {
	rnd := r.rand(1 + r.Rank())
	sizes := r.mixed()
	for round := range 400 {
		n, tag := max(8, sizes[round%len(sizes)]), int32(round%7)
		if r.Rank() == 1 {
			in := make([]byte, n)
			r.idle(rnd.IntN(30))
			r.same(r.recv(in, 0, tag, 0), 0, tag, n)
			var sent [8]byte
			r.recv(sent[:], 0, 0, 9)
			if number(in) != number(sent[:]) {
				r.fail("round %d: message %d was received, but the sender says that it was %d", round, number(in), number(sent[:]))
			}
			continue
		}
		var q device.Request
		if round%2 == 0 {
			q = r.issend(numbered(n, 1), 1, tag, 0)
		} else {
			q = r.isend(numbered(n, 1), 1, tag, 0)
		}
		r.idle(rnd.IntN(30))
		r.cancel(q)
		sent := 1
		if r.wait(q).Cancelled {
			sent = 2
			r.send(numbered(n, 2), 1, tag, 0)
		}
		r.send(numbered(8, sent), 1, 0, 9)
	}
}

// raceReceive cancels receives to which a message may be on its way. A
// message that did not arrive before must arrive at the next receive.
func raceReceive(r *rank) {
	rnd := r.rand(1 + r.Rank())
	sizes := r.mixed()
	for round := range 400 {
		n := max(8, sizes[round%len(sizes)])
		if r.Rank() == 0 {
			r.idle(rnd.IntN(30))
			r.send(numbered(n, round), 1, 1, 0)
			continue
		}
		in := make([]byte, n)
		q := r.irecv(in, 0, 1, 0)
		r.idle(rnd.IntN(30))
		r.cancel(q)
		if st := r.wait(q); st.Cancelled {
			st = r.recv(in, device.AnySource, 1, 0)
			r.same(st, 0, 1, n)
		} else {
			r.same(st, 0, 1, n)
		}
		if number(in) != round {
			r.fail("message %d was received in round %d", number(in), round)
		}
	}
}

// idle makes progress n times.
func (r *rank) idle(n int) {
	for range n {
		r.iprobe(device.AnySource, device.AnyTag, 40)
	}
}
