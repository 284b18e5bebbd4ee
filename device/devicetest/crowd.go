package devicetest

import "gobench/device"

func crowdRules() []rule {
	return []rule{
		{name: "all to all", ranks: []int{2, 3, 5, 8, 16}, run: allToAll},
		{name: "ring", ranks: []int{2, 7, 16}, run: ring},
	}
}

// allToAll sends from everybody to everybody concurrently, itself included.
func allToAll(r *rank) {
	n := r.Size()
	for round, size := range []int{8, 0, 1000, r.eagerLimit() + 1, 100_000, 16} {
		open := make([]device.Request, 0, 2*n)
		ins := make([][]byte, n)
		for i := range n {
			peer := (r.Rank() + i) % n
			ins[peer] = make([]byte, size)
			open = append(open, r.irecv(ins[peer], peer, int32(round), 0))
		}
		for i := range n {
			peer := (r.Rank() + n - i) % n
			open = append(open, r.isend(fill(make([]byte, size), key(r.Rank(), peer, round)), peer, int32(round), 0))
		}
		for _, q := range open {
			r.wait(q)
		}
		for peer, in := range ins {
			r.check(in, key(peer, r.Rank(), round), "all to all")
		}
	}
}

// ring passes a message around. All ranks but one wait at any time, which is slow if waiting ranks
// do not yield the processor.
func ring(r *rank) {
	const laps = 60
	next, before := (r.Rank()+1)%r.Size(), (r.Rank()+r.Size()-1)%r.Size()
	b := make([]byte, 8)
	for lap := range laps {
		if r.Rank() == 0 {
			r.send(numbered(8, lap), next, 0, 0)
			r.recv(b, before, 0, 0)
		} else {
			r.recv(b, before, 0, 0)
			r.send(b, next, 0, 0)
		}
		if number(b) != lap {
			r.fail("lap %d: the ring brought %d", lap, number(b))
		}
	}
}
