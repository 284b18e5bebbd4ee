package devicetest

import (
	"slices"

	"gobench/device"
)

// deathRules kill one rank. All operations of survivors that need it end with a *PeerError that
// names it, those under way and later ones; operations among survivors work. The time from the end
// of the process until each survivor has had the error and has closed its device is limited
// (noticed).
func deathRules() []rule {
	var list []rule
	add := func(name string, ranks []int, run func(r *rank, victim int)) {
		list = append(list, rule{name: name, ranks: ranks, dies: lastDies, alone: true,
			run: func(r *rank) { run(r, r.Size()-1) }})
	}
	add("death of a sender", []int{2, 4}, deathOfSender)
	add("death before any source", []int{2, 4}, deathBeforeAnySource)
	add("death before a probe", []int{2}, deathBeforeProbe)
	add("death seen by test and iprobe", []int{2}, deathInLoops)
	add("death of a receiver", []int{2, 3}, func(r *rank, victim int) { deathOfReceiver(r, victim, 8) })
	add("death of a receiver of much", []int{2, 3}, func(r *rank, victim int) { deathOfReceiver(r, victim, 8<<20) })
	add("death beside sends", []int{3, 4}, deathBesideSends)
	add("death among small messages", []int{2, 4}, func(r *rank, victim int) { deathInStream(r, victim, make([]byte, 64)) })
	add("death in large transfers", []int{2, 4}, func(r *rank, victim int) { deathInStream(r, victim, make([]byte, 6<<20)) })
	add("death in transfers of allocated memory", []int{2}, func(r *rank, victim int) {
		b, err := r.Alloc(6 << 20)
		r.must(err, "alloc")
		deathInStream(r, victim, b)
	})
	add("death in puts to a region", []int{2, 3}, deathInPuts)
	list = append(list, rule{name: "death of many in a new context", ranks: []int{11}, alone: true,
		dies: func(_ []int, rank int) bool { return rank > 1 }, run: deathInNewContext},
		rule{name: "death of the first rank", ranks: []int{3}, alone: true,
			dies: func(_ []int, rank int) bool { return rank == 0 }, run: func(r *rank) { deathOfSender(r, 0) }},
		rule{name: "death of a host", ranks: []int{4}, dies: hostDies, alone: true, run: deathOfHost})
	return list
}

// lastDies chooses the last rank.
func lastDies(hosts []int, rank int) bool { return rank == len(hosts)-1 }

// hostDies chooses the host of the last rank, or the upper half of the ranks where all are on one.
func hostDies(hosts []int, rank int) bool {
	last := len(hosts) - 1
	if slices.Min(hosts) != slices.Max(hosts) {
		return hosts[rank] == hosts[last]
	}
	return rank > last/2
}

// killVictim kills the victim after all other ranks have called it. The victim sends no message for
// that, because it could be lost when the victim dies.
func (r *rank) killVictim(victim int) {
	if r.Rank() != victim {
		r.send(r.token[:1], victim, 0, r.lastContext)
		return
	}
	for peer := range r.Size() {
		if peer != victim {
			r.recv(r.token[:1], peer, 0, r.lastContext)
		}
	}
	r.die()
}

func deathOfSender(r *rank, victim int) {
	early := r.irecv(make([]byte, 64), victim, 7, 0)
	r.killVictim(victim)
	_, err := r.Recv(make([]byte, 8), victim, 0, 0)
	r.lost(err, victim, "Recv")
	_, err = r.Wait(early)
	r.lost(err, victim, "Wait for a receive")
	r.checkLost(victim)
}

func deathBeforeAnySource(r *rank, victim int) {
	q := r.irecv(make([]byte, 64), device.AnySource, device.AnyTag, 0)
	r.killVictim(victim)
	_, err := r.Wait(q)
	r.lost(err, victim, "Wait for a receive from AnySource")
	r.checkLost(victim)
}

func deathBeforeProbe(r *rank, victim int) {
	posted := r.irecv(make([]byte, 1), victim, 0, 1)
	r.killVictim(victim)
	_, err := r.Probe(victim, device.AnyTag, 0)
	r.lost(err, victim, "Probe")
	_, done, err := r.Test(posted)
	if !done {
		r.fail("Test of a receive from a rank that is known to be lost says that it may still come")
	}
	r.lost(err, victim, "Test")
	r.checkLost(victim)
}

// deathInLoops detects the death by non-blocking calls alone.
func deathInLoops(r *rank, victim int) {
	posted := r.irecv(make([]byte, 1), victim, 0, 1)
	r.killVictim(victim)
	for done := false; !done; {
		var err error
		if _, done, err = r.Test(posted); done {
			r.lost(err, victim, "Test in a loop")
		}
	}
	_, _, err := r.Iprobe(victim, 0, 1)
	r.lost(err, victim, "Iprobe")
	r.checkLost(victim)
}

// deathOfReceiver kills a rank that never receives what others send it.
func deathOfReceiver(r *rank, victim, size int) {
	synchronous := r.issend(make([]byte, size), victim, 0, 0)
	r.killVictim(victim)
	r.lost(r.Ssend(make([]byte, size), victim, 0, 0), victim, "Ssend")
	_, err := r.Wait(synchronous)
	r.lost(err, victim, "Wait for a synchronous send")
	r.checkLost(victim)
}

// deathBesideSends starts a send to a rank that is dead, and may not be known to be, before one to
// a living rank, which must not wait for it. The context is one in which the ranks have not met: a
// library may have to ask the receiver first.
func deathBesideSends(r *rank, victim int) {
	r.killVictim(victim)
	next, last := (r.Rank()+1)%victim, (r.Rank()+victim-1)%victim
	context := r.lastContext - 1
	first, failure := r.Isend(make([]byte, 8), victim, 0, context)
	from, to := r.irecv(make([]byte, 8), last, 0, context), r.isend(make([]byte, 8), next, 0, context)
	r.wait(to)
	r.wait(from)
	if failure == nil {
		_, failure = r.Wait(first)
	}
	if failure != nil { // an eager message may have left before the death was noticed
		r.lost(failure, victim, "Isend")
	}
	r.checkLost(victim)
}

// deathInNewContext kills all ranks but two, each after a message in a context in which no two
// ranks have met. A library may have to ask the receiver first: what a dead rank has asked
// cannot be answered, and what a survivor asks is. The last rank to end waits for the other, so
// that nothing that a rank needs is on its way from a process that has ended.
func deathInNewContext(r *rank) {
	const survivors = 2
	context := r.lastContext - 1
	dies := func(rank int) bool { return rank >= survivors }
	if dies(r.Rank()) {
		for peer := range survivors {
			r.recv(r.token[:1], peer, 0, r.lastContext)
		}
		for peer := range survivors {
			r.isend(make([]byte, 8), peer, 0, context)
		}
		r.die()
	}
	for victim := survivors; victim < r.Size(); victim++ {
		r.send(r.token[:1], victim, 0, r.lastContext)
	}
	for victim := survivors; victim < r.Size(); victim++ {
		_, err := r.Recv(make([]byte, 8), victim, 1, 0)
		r.lost(err, victim, "Recv")
	}
	r.survivorsBut(dies, context)
	if r.Rank() == 0 {
		r.recv(r.token[:1], 1, 0, r.lastContext)
		return
	}
	r.send(r.token[:1], 0, 0, r.lastContext)
	_, err := r.Recv(r.token[:1], 0, 0, r.lastContext)
	r.lost(err, 0, "Recv from a rank that has closed")
}

// deathInStream kills a rank at a random moment of transfers both ways.
func deathInStream(r *rank, victim int, b []byte) {
	in := make([]byte, len(b))
	if r.Rank() == victim {
		open, ins := make([][2]device.Request, victim), make([][]byte, victim)
		for peer := range ins {
			ins[peer] = make([]byte, len(b))
		}
		for round := 0; ; round++ {
			if round == 3 {
				r.dying()
			}
			for peer := range victim {
				open[peer] = [2]device.Request{r.irecv(ins[peer], peer, 0, 0), r.isend(b, peer, 0, 0)}
			}
			for peer := range victim {
				r.wait(open[peer][0])
				r.wait(open[peer][1])
			}
		}
	}
	for {
		receive, err := r.Irecv(in, victim, 0, 0)
		if err != nil {
			r.lost(err, victim, "Irecv")
			break
		}
		err = r.Send(b, victim, 0, 0)
		_, err2 := r.Wait(receive)
		if err != nil || err2 != nil {
			// Once one of them fails, the other may still have been served.
			if err != nil {
				r.lost(err, victim, "Send")
			}
			if err2 != nil {
				r.lost(err2, victim, "Wait for a receive")
			}
			break
		}
	}
	r.checkLost(victim)
}

// deathOfHost kills the ranks that hostDies chooses at random moments of messages of many sizes.
// Every survivor gets the error of each of them, and the survivors can still talk to each other.
func deathOfHost(r *rank) {
	victim := func(rank int) bool { return hostDies(r.hosts, rank) }
	r.sync()
	sizes := []int{8, 1 << 10, 100_000, 4 << 20}
	in, out := make([]byte, 4<<20), make([]byte, 4<<20)
	// No victim dies before all ranks have passed the synchronisation. Errors come from a victim
	// that has died since.
	for peer := range r.Size() {
		if victim(peer) && peer != r.Rank() {
			r.Send(out[:1], peer, 1, 0)
		}
	}
	if victim(r.Rank()) {
		for peer := range r.Size() {
			if peer != r.Rank() {
				r.Recv(in, peer, 1, 0)
			}
		}
		r.dying()
		for round := 0; ; round++ {
			for peer := range r.Size() {
				if !victim(peer) { // whatever comes of it, until the end
					q, err := r.Irecv(in, peer, 0, 0)
					r.Send(out[:sizes[round%len(sizes)]], peer, 0, 0)
					if err == nil {
						r.Wait(q)
					}
				}
			}
		}
	}
	for peer := range r.Size() {
		if !victim(peer) {
			continue
		}
		for round := 0; ; round++ {
			receive, err := r.Irecv(in, peer, 0, 0)
			if err != nil {
				r.lost(err, peer, "Irecv")
				break
			}
			sent := r.Send(out[:sizes[round%len(sizes)]], peer, 0, 0)
			if _, err := r.Wait(receive); err != nil {
				r.lost(err, peer, "Wait for a receive")
				break
			}
			if sent != nil {
				r.lost(sent, peer, "Send")
				break
			}
		}
		r.lost(r.Ssend(out[:1], peer, 0, 0), peer, "Ssend, later")
	}
	r.survivorsBut(victim, 3)
}

// checkLost checks that every operation that needs the victim fails, and that all others work.
func (r *rank) checkLost(victim int) {
	large := make([]byte, 4<<20)
	_, err := r.Recv(large, victim, 0, 0)
	r.lost(err, victim, "Recv, later")
	r.lost(r.Send(large, victim, 0, 0), victim, "Send of 4 MiB, later")
	r.lost(r.Ssend(large[:1], victim, 0, 0), victim, "Ssend, later")
	_, err = r.Probe(victim, 99, 0)
	r.lost(err, victim, "Probe, later")
	_, err = r.Recv(large, device.AnySource, 99, 0)
	r.lost(err, victim, "Recv from AnySource, later")
	r.survivors(victim)
}

// survivors exchanges messages among the ranks that are left.
func (r *rank) survivors(gone int) { r.survivorsIn(gone, 3) }

func (r *rank) survivorsIn(gone int, context int32) {
	r.survivorsBut(func(rank int) bool { return rank == gone }, context)
}

func (r *rank) survivorsBut(gone func(rank int) bool, context int32) {
	var open []device.Request
	for peer := range r.Size() {
		if gone(peer) {
			continue
		}
		for i, n := range []int{8, 100_000} {
			open = append(open, r.irecv(make([]byte, n), peer, int32(i), context), r.isend(make([]byte, n), peer, int32(i), context))
		}
	}
	for _, q := range open {
		r.wait(q)
	}
}
