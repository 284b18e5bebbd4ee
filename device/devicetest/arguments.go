package devicetest

import (
	"errors"
	"math"

	"gobench/device"
)

func argumentRules() []rule {
	return []rule{
		{name: "argument errors", ranks: []int{2}, run: argumentErrors},
		{name: "info", ranks: []int{2}, run: info},
	}
}

func argumentErrors(r *rank) {
	var b [8]byte
	bad := func(err error, what string, value int) {
		var ae *device.ArgumentError
		if !errors.As(err, &ae) {
			r.fail("%s: error is %v (%T), want an *ArgumentError", what, err, err)
		}
		if ae.Value != value {
			r.fail("%s: the error %v does not name the value %d", what, ae, value)
		}
	}
	for _, dst := range []int{device.AnySource, -2, r.Size(), 1 << 30} {
		_, err := r.Isend(b[:], dst, 0, 0)
		bad(err, "Isend", dst)
		_, err = r.Issend(b[:], dst, 0, 0)
		bad(err, "Issend", dst)
		bad(r.Send(b[:], dst, 0, 0), "Send", dst)
		bad(r.Ssend(b[:], dst, 0, 0), "Ssend", dst)
	}
	for _, src := range []int{-2, r.Size(), 1 << 30} {
		_, err := r.Irecv(b[:], src, 0, 0)
		bad(err, "Irecv", src)
		_, err = r.Recv(b[:], src, 0, 0)
		bad(err, "Recv", src)
		_, _, err = r.Iprobe(src, 0, 0)
		bad(err, "Iprobe", src)
		_, err = r.Probe(src, 0, 0)
		bad(err, "Probe", src)
	}
	for _, tag := range []int32{device.AnyTag, -2, -1 << 31} {
		_, err := r.Isend(b[:], 0, tag, 0)
		bad(err, "Isend", int(tag))
		bad(r.Ssend(b[:], 1, tag, 0), "Ssend", int(tag))
		if tag != device.AnyTag {
			_, err = r.Irecv(b[:], 0, tag, 0)
			bad(err, "Irecv", int(tag))
			_, _, err = r.Iprobe(0, tag, 0)
			bad(err, "Iprobe", int(tag))
		}
	}
	// None of these calls has started an operation, and the largest tag is valid.
	r.noneToPeek()
	last := r.Info().Tags()
	q := r.irecv(b[:], 1-r.Rank(), last, 0)
	r.send(numbered(8, 7), 1-r.Rank(), last, 0)
	r.same(r.wait(q), 1-r.Rank(), last, 8)
	if last < math.MaxInt32 {
		_, err := r.Isend(b[:], 1-r.Rank(), last+1, 0)
		bad(err, "Isend", int(last+1))
		_, err = r.Irecv(b[:], 1-r.Rank(), last+1, 0)
		bad(err, "Irecv", int(last+1))
	}
	if last := r.Info().Contexts(); last < math.MaxInt32 {
		_, err := r.Isend(b[:], 1-r.Rank(), 0, last+1)
		bad(err, "Isend", int(last+1))
		_, err = r.Irecv(b[:], 1-r.Rank(), 0, last+1)
		bad(err, "Irecv", int(last+1))
	}
}

// info checks that Info has all facts for the record.
func info(r *rank) {
	i := r.Info()
	if i.Transport == "" || i.Path == nil {
		r.fail("Info has no transport or no path: %+v", i)
	}
	if want := map[bool]string{true: "process", false: "goroutine"}[r.forked]; i.Ranks != want {
		r.fail("Info().Ranks is %q, want %q: set protocol.Limits.Goroutines if all ranks are in one process", i.Ranks, want)
	}
	for _, n := range append(r.steps(), 4<<20, 3<<30) {
		if i.Path(n, device.Traffic{}) == "" {
			r.fail("Info names no path for %d bytes", n)
		}
	}
	for name, value := range r.options.Map() {
		if _, ok := i.Options[name]; !ok {
			r.fail("Info does not give the option %s (%s)", name, value)
		}
	}
}
