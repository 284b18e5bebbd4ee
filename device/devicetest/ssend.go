package devicetest

import "gobench/device"

func ssendRules() []rule {
	return []rule{{name: "synchronous send", ranks: []int{2}, run: synchronousSend}}
}

// synchronousSend checks that a synchronous send is not complete while the receiver has seen the
// message but not matched it. The ranks synchronise by messages of another context, so the rule
// does not depend on time.
func synchronousSend(r *rank) {
	const seen, matched = 1, 2
	var token [1]byte
	for i, n := range r.mixed() {
		tag := int32(i)
		if r.Rank() == 0 {
			out := fill(make([]byte, n), uint64(i))
			q := r.issend(out, 1, tag, 0)
			told := r.irecv(token[:], 1, seen, 1)
			unmatched := func() {
				if _, done := r.test(q); done {
					r.fail("a synchronous send of %d bytes is complete, but its receiver has only probed it", n)
				}
			}
			for done := false; !done; _, done = r.test(told) {
				unmatched()
			}
			for range 1000 {
				unmatched()
			}
			r.send(token[:], 1, seen, 1)
			r.wait(q)

			// The blocking form: when it returns, the receiver is past its match,
			// and so has sent the token that it sends before.
			r.must(r.Ssend(out, 1, tag, 0), "ssend of %d bytes", n)
			r.recv(token[:], 1, matched, 1)
		} else {
			in := make([]byte, n)
			r.same(r.probe(0, tag, 0), 0, tag, n)
			r.send(token[:], 0, seen, 1)
			r.recv(token[:], 0, seen, 1)
			r.same(r.recv(in, device.AnySource, tag, 0), 0, tag, n)
			r.check(in, uint64(i), "synchronous message")
			r.same(r.probe(0, tag, 0), 0, tag, n)
			r.send(token[:], 0, matched, 1)
			r.same(r.recv(in, 0, tag, 0), 0, tag, n)
		}
	}
}
