package devicetest

import (
	"errors"

	"gobench/device"
)

func truncationRules() []rule {
	return []rule{
		{name: "truncation", ranks: []int{2}, run: truncation},
		{name: "truncation of a self message", ranks: []int{1}, run: truncatedSelf},
	}
}

// truncation sends messages that are longer than the receive buffer. The
// receiver gets what fits and a typed error, the sender notices nothing, and
// the next message is whole.
func truncation(r *rank) {
	e := r.eagerLimit()
	number := int32(0)
	for _, n := range []int{1, 8, 1000, e, e + 1, 4 * e, 300_000} {
		for _, room := range []int{0, 1, n / 2, n - 1} {
			if room >= n {
				continue
			}
			for _, posted := range []bool{true, false} {
				for _, synchronous := range []bool{true, false} {
					number++
					truncate(r, n, room, number, posted, synchronous)
				}
			}
		}
	}
}

func truncate(r *rank, n, room int, tag int32, posted, synchronous bool) {
	var token [1]byte
	if r.Rank() == 0 {
		if posted {
			r.recv(token[:], 1, tag, 1)
		}
		out := fill(make([]byte, n), uint64(tag))
		if synchronous {
			r.must(r.Ssend(out, 1, tag, 0), "ssend of a message that is too long for its receiver")
		} else {
			r.must(r.Send(out, 1, tag, 0), "send of a message that is too long for its receiver")
		}
		r.send(fill(out, uint64(tag)+1<<32), 1, tag, 0)
		return
	}
	in := newGuarded(room)
	var q device.Request
	if posted {
		q = r.irecv(in.buf, 0, tag, 0)
		r.send(token[:], 0, tag, 1)
	} else {
		r.same(r.probe(0, tag, 0), 0, tag, n)
		q = r.irecv(in.buf, 0, tag, 0)
	}
	st, err := r.Wait(q)
	r.truncated(st, err, device.TruncationError{Source: 0, Tag: tag, Size: n, Room: room})
	r.check(in.buf, uint64(tag), "the part that fits")
	r.intact(in)
	whole := make([]byte, n)
	r.same(r.recv(whole, 0, tag, 0), 0, tag, n)
	r.check(whole, uint64(tag)+1<<32, "the message after a truncated one")
}

// truncated checks the outcome of a receive whose buffer was too short.
func (r *rank) truncated(st device.Status, err error, want device.TruncationError) {
	var te *device.TruncationError
	if !errors.As(err, &te) || !errors.Is(err, device.ErrTruncated) {
		r.fail("%d bytes into %d: error is %v (%T), want a *TruncationError", want.Size, want.Room, err, err)
	}
	if *te != want {
		r.fail("truncation error is %+v, want %+v", *te, want)
	}
	r.same(st, want.Source, want.Tag, want.Size)
}

func truncatedSelf(r *rank) {
	for _, n := range []int{2, 1000, 100_000} {
		in := newGuarded(n - 1)
		q := r.irecv(in.buf, 0, 1, 0)
		r.wait(r.isend(fill(make([]byte, n), 5), 0, 1, 0))
		st, err := r.Wait(q)
		r.truncated(st, err, device.TruncationError{Tag: 1, Size: n, Room: n - 1})
		r.check(in.buf, 5, "the part that fits")
		r.intact(in)
	}
}
