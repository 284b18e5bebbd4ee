package devicetest

import "gobench/device"

func selfRules() []rule {
	return []rule{{name: "self messages", ranks: []int{1, 3}, run: selfMessages}}
}

// selfMessages sends to the own rank: receive first, send first, synchronous,
// probed, of every protocol's size, and never seen by others.
func selfMessages(r *rank) {
	me := r.Rank()
	for i, n := range r.mixed() {
		tag := int32(i)
		out, in := fill(make([]byte, n), uint64(i)), newGuarded(n)
		ended := func(receive, send device.Request) {
			r.same(r.wait(receive), me, tag, n)
			r.wait(send)
			r.check(in.buf, uint64(i), "self message")
			r.intact(in)
			clear(in.buf)
		}

		receive := r.irecv(in.buf, me, tag, 0)
		ended(receive, r.isend(out, me, tag, 0))

		send := r.isend(out, me, tag, 0)
		r.same(r.probe(me, tag, 0), me, tag, n)
		ended(r.irecv(in.buf, me, device.AnyTag, 0), send)

		send = r.issend(out, me, tag, 0)
		for range 100 {
			if _, done := r.test(send); done {
				r.fail("a synchronous send to self is complete before it is received")
			}
		}
		st, found := r.iprobe(device.AnySource, device.AnyTag, 0)
		if !found {
			r.fail("a message to self is not found by Iprobe")
		}
		r.same(st, me, tag, n)
		ended(r.irecv(in.buf, device.AnySource, tag, 0), send)

		receive = r.irecv(in.buf, device.AnySource, device.AnyTag, 0)
		ended(receive, r.issend(out, me, tag, 0))
	}
	for i := range 100 { // order, and many together
		r.wait(r.isend(numbered(8, i), me, int32(i%2), 1))
	}
	var b [8]byte
	for i := range 100 {
		r.recv(b[:], me, int32(i%2), 1)
		if number(b[:]) != i {
			r.fail("self message %d overtook %d", number(b[:]), i)
		}
	}
	if st, found := r.iprobe(device.AnySource, device.AnyTag, 0); found {
		r.fail("a message is left over: %+v", st)
	}
}
