package devicetest

import (
	"errors"
	"strings"
	"time"

	"gobench/device"
)

// progressRules test progress for a third rank while two others exchange messages that have always
// arrived when they are polled for. A rank that finds its message immediately must still serve
// others.
//
// If ranks are goroutines, one goroutine runs all of them step by step: so the message has always
// arrived, and the number of round trips after which the third rank must be done does not depend on
// a scheduler. Ranks that are processes run side by side and stop when the third one is done; the
// time limit is the bound.
func progressRules() []rule {
	spin := func(rndv string) map[string]string { return map[string]string{"wait": "spin", "rndv": rndv} }
	return []rule{
		{name: "packets beside a ping-pong", ranks: []int{3}, options: spin("pipeline"), run: transferBeside, together: transferBesideInSteps},
		{name: "a transfer beside a ping-pong", ranks: []int{3}, options: spin("auto"), run: transferBeside, together: transferBesideInSteps},
		{name: "a stream does not starve others", ranks: []int{3}, run: streamBeside},
		{name: "death beside a ping-pong", ranks: []int{3}, options: spin("auto"), dies: lastDies, alone: true, run: deathBeside, together: deathBesideInSteps},
	}
}

const (
	// besideBytes is more than wires and kernels buffer.
	besideBytes = 32 << 20
	// besideTrips bounds the round trips of the other ranks. The slowest transport needs some
	// thousand.
	besideTrips = 100_000
	// besideDeath bounds them after a death. Wires check for dead peers every 10 ms, in which the
	// fastest transport makes some 100,000 round trips.
	besideDeath = 5_000_000
	// besideStream bounds the messages of a stream, which take a millisecond or more each.
	besideStream = 5000
)

// trip makes one round trip of the ranks 0 and 1 from the one goroutine that runs both.
func trip(zero, one device.Device, b []byte, context int32) error {
	if err := zero.Send(b, 1, 1, context); err != nil {
		return err
	}
	if _, err := one.Recv(b, 0, 1, context); err != nil {
		return err
	}
	if err := one.Send(b, 0, 1, context); err != nil {
		return err
	}
	_, err := zero.Recv(b, 1, 1, context)
	return err
}

// transferBesideInSteps has rank 2 send much to rank 0, first to a receive that is posted, then to
// one that has met the announcement.
func transferBesideInSteps(all []*rank) {
	zero, one, two := all[0], all[1], all[2]
	out, in := make([]byte, besideBytes), make([]byte, besideBytes)
	var b [8]byte
	for i, matched := range []bool{false, true} {
		fill(out, uint64(i))
		var receive, send device.Request
		if matched {
			send = two.issend(out, 0, int32(i), 0)
			for found := false; !found; _, found = zero.iprobe(2, int32(i), 0) {
				two.iprobe(0, int32(i), 0) // the announcement may wait for room
			}
			receive = zero.irecv(in, 2, int32(i), 0)
		} else {
			receive = zero.irecv(in, 2, int32(i), 0)
			send = two.issend(out, 0, int32(i), 0)
		}
		trips := 0
		for done := false; !done; trips++ {
			if trips == besideTrips {
				zero.fail("a message of rank 2 (matched before: %v) has not ended in %d round trips of ranks 0 and 1", matched, trips)
			}
			zero.must(trip(zero.bare, one.bare, b[:], 1), "round trip %d", trips)
			_, done = two.test(send)
		}
		var st device.Status
		for done := false; !done; st, done = zero.test(receive) {
			two.iprobe(0, int32(i), 0)
		}
		zero.same(st, 2, int32(i), len(out))
		zero.check(in, uint64(i), "a message beside a ping-pong")
	}
}

// transferBeside is the same for ranks that run side by side. Rank 1 is told when the message has
// ended, and tells rank 0.
func transferBeside(r *rank) {
	var b [8]byte
	switch r.Rank() {
	case 0:
		in := make([]byte, besideBytes)
		receive := r.irecv(in, 2, 0, 0)
		for b[0] == 0 {
			r.must(r.bare.Send(b[:], 1, 1, 1), "send")
			_, err := r.bare.Recv(b[:], 1, 1, 1)
			r.must(err, "receive")
		}
		r.wait(receive)
		r.check(in, 7, "a message beside a ping-pong")
	case 1:
		told := r.irecv(r.token[:1], 2, 2, 0)
		for done := false; !done; {
			_, err := r.bare.Recv(b[:], 0, 1, 1)
			r.must(err, "receive")
			if _, done = r.test(told); done {
				b[0] = 1
			}
			r.must(r.bare.Send(b[:], 0, 1, 1), "send")
		}
	case 2:
		r.must(r.Ssend(fill(make([]byte, besideBytes), 7), 0, 0, 0), "ssend")
		r.send(r.token[:1], 1, 2, 0)
	}
}

// streamBeside has rank 1 send as fast as it can to rank 0, which is slower, so that messages of
// rank 1 always wait. A message of rank 2 must come all the same; then the stream ends.
func streamBeside(r *rank) {
	const message, end = 0, 1
	var b, in [8]byte
	switch r.Rank() {
	case 0:
		other := r.irecv(b[:], 2, message, 0)
		r.recv(in[:], 1, message, 0)
		r.send(nil, 2, message, 0)
		received := 0
		for done := false; !done; _, done = r.test(other) {
			if received++; received > besideStream {
				r.fail("a message of rank 2 has not come beside %d messages of rank 1", besideStream)
			}
			r.recv(in[:], 1, message, 0)
			time.Sleep(time.Millisecond) // what wires buffer then lasts for longer than rank 1 is off its core
		}
		r.send(nil, 1, end, 0)
		for tag := int32(message); tag != end; {
			tag = r.recv(in[:], 1, device.AnyTag, 0).Tag
		}
	case 1:
		told := r.irecv(nil, 0, end, 0)
		for done := false; !done; _, done = r.test(told) {
			r.send(b[:], 0, message, 0)
		}
		r.send(nil, 0, end, 0)
	case 2:
		r.recv(nil, 0, message, 0)
		r.send(b[:], 0, message, 0)
	}
}

// deathBesideInSteps kills rank 2 of a bound context in which ranks 0 and 1 go on.
func deathBesideInSteps(all []*rank) {
	zero, one, two := all[0], all[1], all[2]
	for _, r := range all {
		b, ok := r.Device.(device.Binder)
		if !ok {
			return
		}
		r.bind(b)
	}
	two.dead = true
	two.kill()
	var b [8]byte
	for range besideDeath {
		if err := trip(zero.bare, one.bare, b[:], boundContext); err != nil {
			zero.lost(err, 2, "a ping-pong beside a rank that has died")
			return
		}
	}
	zero.fail("ranks 0 and 1 have not heard of the death of rank 2 in %d round trips", besideDeath)
}

func deathBeside(r *rank) {
	binder, ok := r.Device.(device.Binder)
	if !ok {
		if r.Rank() == 2 {
			r.die()
		}
		return
	}
	r.bind(binder)
	r.killVictim(2)
	var b [8]byte
	var err error
	for peer := 1 - r.Rank(); err == nil; {
		if r.Rank() == 0 {
			err = r.bare.Send(b[:], peer, 1, boundContext)
		}
		if err == nil {
			_, err = r.bare.Recv(b[:], peer, 1, boundContext)
		}
		if err == nil && r.Rank() == 1 {
			err = r.bare.Send(b[:], peer, 1, boundContext)
		}
	}
	// The other rank may have detected the death first; its error names rank 2 as well.
	if pe, ok := errors.AsType[*device.PeerError](err); ok && pe.Rank == 1-r.Rank() && strings.Contains(pe.Cause, "rank 2 is lost") {
		return
	}
	r.lost(err, 2, "a ping-pong beside a rank that has died")
}
