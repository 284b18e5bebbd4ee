package devicetest

import (
	"errors"

	"gobench/device"
)

func probeRules() []rule {
	return []rule{
		{name: "probe", ranks: []int{2}, run: probing},
		{name: "probe among many", ranks: []int{4}, run: probeMany},
		{name: "peek", ranks: []int{2}, run: peeking},
	}
}

// probing finds a message without taking it: again and again, with wildcards,
// before and after others, and not where a posted receive has taken it.
func probing(r *rank) {
	var token [1]byte
	for i, n := range r.mixed() {
		if r.Rank() == 0 {
			r.recv(token[:], 1, 0, 9)
			first := r.isend(fill(make([]byte, n), 1), 1, 10, 4)
			second := r.isend(fill(make([]byte, n+1), 2), 1, 11, 4)
			r.wait(first)
			r.wait(second)
			continue
		}
		if st, found := r.iprobe(0, device.AnyTag, 4); found {
			r.fail("Iprobe found %+v before anything was sent", st)
		}
		r.send(token[:], 0, 0, 9)
		r.same(r.probe(0, 11, 4), 0, 11, n+1) // the later one; the earlier one must be here as well
		for range 3 {
			r.same(r.probe(device.AnySource, device.AnyTag, 4), 0, 10, n)
			if st, found := r.iprobe(0, 10, 4); !found || st.Size != n {
				r.fail("Iprobe does not find the message that Probe found: %t %+v", found, st)
			}
			if _, found := r.iprobe(0, 12, 4); found {
				r.fail("Iprobe found a message with a tag that nobody sent")
			}
			if _, found := r.iprobe(0, device.AnyTag, 5); found {
				r.fail("Iprobe found a message of another context")
			}
		}
		in := make([]byte, n+1)
		r.same(r.recv(in[:n], 0, 10, 4), 0, 10, n)
		r.check(in[:n], 1, "probed message")
		r.same(r.probe(device.AnySource, device.AnyTag, 4), 0, 11, n+1)
		q := r.irecv(in, 0, device.AnyTag, 4)
		if st, found := r.iprobe(device.AnySource, device.AnyTag, 4); found {
			r.fail("round %d: Iprobe found %+v, which a posted receive has taken", i, st)
		}
		r.same(r.wait(q), 0, 11, n+1)
		r.check(in, 2, "second probed message")
	}
}

// probeMany receives what it has probed: the receive with the probed source
// and tag must get the probed message.
func probeMany(r *rank) {
	const messages = 150
	sizes := r.mixed()
	if r.Rank() != 0 {
		for i := range messages {
			r.send(fill(make([]byte, sizes[i%len(sizes)]), key(r.Rank(), 0, i)), 0, int32(i), 0)
		}
		return
	}
	next := make([]int32, r.Size())
	for range messages * (r.Size() - 1) {
		st := r.probe(device.AnySource, device.AnyTag, 0)
		if st.Tag != next[st.Source] {
			r.fail("probe found tag %d of rank %d, want %d", st.Tag, st.Source, next[st.Source])
		}
		in := make([]byte, st.Size)
		r.same(r.recv(in, st.Source, st.Tag, 0), st.Source, st.Tag, st.Size)
		r.check(in, key(st.Source, 0, int(st.Tag)), "probed message")
		next[st.Source]++
	}
}

// peeking waits for any of the outstanding requests, first completed first.
func peeking(r *rank) {
	var token [1]byte
	if r.Rank() == 1 {
		for _, tag := range []int32{3, 1, 2} {
			r.send([]byte{byte(tag)}, 0, tag, 0)
			r.send(token[:], 0, 9, 0) // behind it
			r.recv(token[:], 0, 9, 0)
		}
		return
	}
	r.noneToPeek()
	var bufs [4][1]byte
	var open [4]device.Request
	for tag := int32(1); tag <= 3; tag++ {
		open[tag] = r.irecv(bufs[tag][:], 1, tag, 0)
	}
	expect := func(tag int32) {
		q, err := r.Peek()
		r.must(err, "peek")
		if q != open[tag] {
			r.fail("Peek returned request %#x, want %#x, which completed first", q, open[tag])
		}
	}
	expect(3)
	r.recv(token[:], 1, 9, 0)
	r.send(token[:], 1, 9, 0)
	r.recv(token[:], 1, 9, 0) // now the one with tag 1 is complete as well
	expect(3)
	expect(3)
	r.same(r.wait(open[3]), 1, 3, 1)
	expect(1)
	r.send(token[:], 1, 9, 0)
	r.recv(token[:], 1, 9, 0)
	expect(1)
	if _, done := r.test(open[1]); !done {
		r.fail("Test says that the request Peek returned is not complete")
	}
	expect(2)
	r.same(r.wait(open[2]), 1, 2, 1)
	r.noneToPeek()
	r.send(token[:], 1, 9, 0)
}

func (r *rank) noneToPeek() {
	if q, err := r.Peek(); !errors.Is(err, device.ErrRequest) {
		r.fail("Peek without outstanding requests returned %#x and %v, want ErrRequest", q, err)
	}
}
