package devicetest

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"gobench/device"
)

const gib = 1 << 30

func sizeRules() []rule {
	return []rule{
		{name: "zero length", ranks: []int{2}, run: zeroLength},
		{name: "every size", ranks: []int{2}, run: everySize},
		{name: "allocated buffers", ranks: []int{2}, run: allocatedBuffers},
		{name: "both send 64 MiB", ranks: []int{2}, run: bothSendLarge},
		{name: "over 2 GiB", ranks: []int{2}, run: overTwoGiB, memory: 6 * gib, long: true},
	}
}

// maxLimit bounds the limits around which rules choose sizes: they receive three times as much
// into 1 MiB. A transport with a higher one runs them with a lower one by option, too.
const maxLimit = 256 << 10

// agreeOnLimits collects the sizes around which the devices of all ranks change their protocol. A
// device may have several, and ranks may have different ones.
func (r *rank) agreeOnLimits(job device.Job) error {
	own := r.Info().Options["eager_limit"]
	all, err := job.Exchange(context.Background(), []byte(own))
	for _, values := range all {
		for value := range strings.SplitSeq(string(values), "+") {
			if n, err := device.ParseBytes(value); err == nil && n > 32 {
				r.limits = append(r.limits, min(n, maxLimit))
			}
		}
	}
	if r.limits == nil {
		r.limits = []int{8 << 10}
	}
	slices.Sort(r.limits)
	r.limits = slices.Compact(r.limits)
	return err
}

// eagerLimit is the largest of the limits.
func (r *rank) eagerLimit() int { return r.limits[len(r.limits)-1] }

// steps are sizes on both sides of every threshold a device may have.
func (r *rank) steps() []int {
	list := []int{0, 1, 3, 7, 8, 9, 31, 1000}
	for n := 64; n <= 1<<20; n *= 4 {
		list = append(list, n-1, n, n+1)
	}
	for _, e := range r.limits {
		list = append(list, max(e-25, 0), e-1, e, e+1, 2*e+3)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// mixed are few sizes: eager ones and ones that are not.
func (r *rank) mixed() []int {
	list := []int{0, 8, 200}
	for _, e := range r.limits {
		list = append(list, e-1, e, e+1, 3*e)
	}
	return append(list, 100_000)
}

func zeroLength(r *rank) {
	peer := 1 - r.Rank()
	untouched := newGuarded(16)
	copy(untouched.buf, "must not change.")
	for round := range 50 {
		tag := int32(round)
		if r.Rank() == 0 {
			r.send(nil, peer, tag, 1)
			r.must(r.Ssend([]byte{}, peer, tag, 1), "ssend of nothing")
			r.wait(r.isend(untouched.buf[:0], peer, tag, 1))
			r.wait(r.issend(nil, peer, tag, 1))
		} else {
			r.same(r.recv(nil, peer, tag, 1), peer, tag, 0)
			r.same(r.recv(untouched.buf, peer, tag, 1), peer, tag, 0)
			r.same(r.probe(peer, tag, 1), peer, tag, 0)
			r.same(r.wait(r.irecv(untouched.buf[:0], peer, tag, 1)), peer, tag, 0)
			r.same(r.recv(nil, device.AnySource, device.AnyTag, 1), peer, tag, 0)
		}
	}
	if string(untouched.buf) != "must not change." {
		r.fail("a message of no bytes wrote into the buffer")
	}
	r.intact(untouched)
}

// everySize sends every size both ways, from and to unaligned addresses, into
// buffers that are exactly long enough or longer.
func everySize(r *rank) {
	peer := 1 - r.Rank()
	for i, n := range r.steps() {
		for _, synchronous := range []bool{false, true} {
			out := fill(make([]byte, n+i%8)[i%8:], key(r.Rank(), peer, n))
			in := newGuarded(n + i%3)
			q := r.irecv(in.buf, peer, int32(i), 0)
			if synchronous {
				r.must(r.Ssend(out, peer, int32(i), 0), "ssend of %d bytes", n)
			} else {
				r.send(out, peer, int32(i), 0)
			}
			r.same(r.wait(q), peer, int32(i), n)
			r.check(in.buf[:n], key(peer, r.Rank(), n), "message of "+strconv.Itoa(n)+" bytes")
			r.intact(in)
			for _, b := range in.buf[n:] {
				if b != guardByte {
					r.fail("a message of %d bytes changed bytes behind its end", n)
				}
			}
		}
	}
}

// allocatedBuffers sends between memory of Device.Alloc and other memory.
func allocatedBuffers(r *rank) {
	peer := 1 - r.Rank()
	const room = 1<<20 + 4096
	var own [2][]byte
	for i := range own {
		b, err := r.Alloc(room)
		r.must(err, "alloc of %d bytes", room)
		if len(b) != room {
			r.fail("Alloc(%d) returned %d bytes", room, len(b))
		}
		if address(b)%4096 != 0 {
			r.fail("Alloc returned the address %#x, which is not page aligned", address(b))
		}
		for j, x := range b {
			if x != 0 {
				r.fail("byte %d of new memory is %d, want 0", j, x)
			}
		}
		own[i] = b
	}
	for _, n := range []int{0, 100} {
		small, err := r.Alloc(n)
		r.must(err, "alloc of %d bytes", n)
		if len(small) != n || n > 0 && address(small)%4096 != 0 {
			r.fail("Alloc(%d) returned %d bytes at %#x, want %[1]d at a page", n, len(small), address(small))
		}
		r.must(r.Free(small), "free of %d bytes", n)
	}
	for i, n := range r.steps() {
		for mode := range 4 { // whether the sender's and the receiver's memory is the device's
			out, in := make([]byte, n+8), make([]byte, n+8)
			if mode&1 == 1 {
				out = own[0]
			}
			if mode&2 == 2 {
				in = own[1]
			}
			shift := i % 5
			out, in = out[shift:shift+n], in[shift:shift+n]
			clear(in)
			fill(out, key(r.Rank(), peer, n+mode))
			q := r.irecv(in, peer, int32(mode), 3)
			r.wait(r.isend(out, peer, int32(mode), 3))
			r.same(r.wait(q), peer, int32(mode), n)
			r.check(in, key(peer, r.Rank(), n+mode), "message between allocated buffers")
			r.check(out, key(r.Rank(), peer, n+mode), "the send buffer, after the send,")
		}
	}
	for _, b := range own {
		r.must(r.Free(b), "free")
	}
	again, err := r.Alloc(room)
	r.must(err, "alloc after free")
	if i := slices.IndexFunc(again, func(b byte) bool { return b != 0 }); i >= 0 {
		r.fail("byte %d of memory that was used before is not zeroed", i)
	}
	r.must(r.Free(again), "free")
}

func bothSendLarge(r *rank) {
	peer := 1 - r.Rank()
	const n = 64 << 20
	out, in := fill(make([]byte, n), key(r.Rank(), peer, 1)), make([]byte, n)
	for _, early := range []bool{true, false} { // whether the receive is posted before the send
		var q device.Request
		if early {
			q = r.irecv(in, peer, 1, 0)
			r.send(out, peer, 1, 0)
		} else {
			q = r.isend(out, peer, 1, 0)
			r.same(r.recv(in, peer, 1, 0), peer, 1, n)
		}
		r.wait(q)
		r.check(in, key(peer, r.Rank(), 1), "64 MiB")
		clear(in)
	}
}

// overTwoGiB sends one long message. The payload is sparse, because writing and
// checking all of it takes longer than sending it.
func overTwoGiB(r *rank) {
	const n = 2*gib + 4099
	b, err := syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	r.must(err, "mmap")
	defer syscall.Munmap(b)
	mark := func(visit func(part []byte, at int)) {
		for at := 0; at+64 <= n; at += 1<<20 - 64 {
			visit(b[at:at+64], at)
		}
		visit(b[1<<31-32:1<<31+32], 1<<31)
		visit(b[n-64:], n)
	}
	if r.Rank() == 0 {
		mark(func(part []byte, at int) { fill(part, uint64(at)) })
		r.send(b, 1, 7, 0)
	} else {
		r.same(r.recv(b, 0, 7, 0), 0, 7, n)
		mark(func(part []byte, at int) { r.check(part, uint64(at), "part of 2 GiB at "+strconv.Itoa(at)) })
	}
}
