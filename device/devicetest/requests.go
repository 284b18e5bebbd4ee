package devicetest

import (
	"errors"

	"gobench/device"
)

func requestRules() []rule {
	return []rule{
		{name: "handles that are not live", ranks: []int{2}, run: deadHandles},
		{name: "many outstanding requests", ranks: []int{2}, run: manyOutstanding},
		{name: "test loops", ranks: []int{2}, run: testLoops},
	}
}

// notLive fails unless every call with q reports ErrRequest.
func (r *rank) notLive(q device.Request, what string) {
	if _, err := r.Wait(q); !errors.Is(err, device.ErrRequest) {
		r.fail("Wait for %s: error is %v, want ErrRequest", what, err)
	}
	if _, _, err := r.Test(q); !errors.Is(err, device.ErrRequest) {
		r.fail("Test of %s: error is %v, want ErrRequest", what, err)
	}
	if err := r.Cancel(q); !errors.Is(err, device.ErrRequest) {
		r.fail("Cancel of %s: error is %v, want ErrRequest", what, err)
	}
}

// deadHandles uses handles that are null, made up, or released, also after
// their memory serves other requests.
func deadHandles(r *rank) {
	peer := 1 - r.Rank()
	for _, q := range []device.Request{0, ^device.Request(0), 1 << 63, 0xffffffff, 1 << 32, 12345678901234} {
		r.notLive(q, "a made-up handle")
	}
	var b [8]byte
	exchange := func() [2]device.Request {
		q := [2]device.Request{r.irecv(b[:], peer, 0, 0), r.isend(b[:], peer, 0, 0)}
		if q[0] == 0 || q[1] == 0 || q[0] == q[1] {
			r.fail("the handles of two requests are %#x and %#x", q[0], q[1])
		}
		return q
	}
	first := exchange()
	r.wait(first[0])
	r.wait(first[1])
	r.notLive(first[0], "a receive that was waited for")
	r.notLive(first[1], "a send that was waited for")
	for range 600 { // more than a byte can count
		q := exchange()
		r.notLive(first[0], "an old handle")
		r.wait(q[1])
		for done := false; !done; {
			_, done = r.test(q[0])
		}
		r.notLive(q[0], "a receive that Test reported done")
	}
}

// manyOutstanding starts 1500 receives and sends of all sizes and ends them in
// another order.
func manyOutstanding(r *rank) {
	const count = 1500
	peer := 1 - r.Rank()
	sizes := r.mixed()[:5]
	sizes = append(sizes, r.eagerLimit()+1)
	ins, sends := make([][]byte, count), make([]device.Request, count)
	receives := make([]device.Request, count)
	size := func(i int) int { return sizes[i*5%len(sizes)] }
	for i := range count {
		ins[i] = make([]byte, size(i))
		receives[i] = r.irecv(ins[i], peer, int32(i), 0)
	}
	order := r.rand(1 + r.Rank()).Perm(count)
	for _, i := range order { // the messages come in another order than the receives
		sends[i] = r.isend(fill(make([]byte, size(i)), key(r.Rank(), peer, i)), peer, int32(i), 0)
	}
	for i := count - 1; i >= 0; i-- {
		r.same(r.wait(receives[i]), peer, int32(i), size(i))
		r.check(ins[i], key(peer, r.Rank(), i), "one of many messages")
	}
	for _, i := range r.rand(10).Perm(count) {
		r.wait(sends[i])
	}
}

// testLoops ends everything by Test alone, polling all requests in turn.
func testLoops(r *rank) {
	peer := 1 - r.Rank()
	sizes := r.mixed()
	for round := range 30 {
		open := map[device.Request]int{}
		ins := make([][]byte, len(sizes))
		for i, n := range sizes {
			ins[i] = make([]byte, n)
			open[r.irecv(ins[i], peer, int32(i), 0)] = i
		}
		for i, n := range sizes {
			b := fill(make([]byte, n), key(r.Rank(), peer, i+round))
			if i%2 == 0 {
				open[r.issend(b, peer, int32(i), 0)] = -1
			} else {
				open[r.isend(b, peer, int32(i), 0)] = -1
			}
		}
		for len(open) > 0 {
			for q, i := range open {
				st, done := r.test(q)
				if !done {
					continue
				}
				delete(open, q)
				if i >= 0 {
					r.same(st, peer, int32(i), sizes[i])
					r.check(ins[i], key(peer, r.Rank(), i+round), "tested message")
				}
			}
		}
	}
}
