package comm_test

import (
	"cmp"
	"errors"
	"testing"

	"gobench/comm"
	"gobench/device"
	"gobench/device/devicetest/naive"
)

// counts counts the calls of a device.Batcher.
type counts struct {
	*naive.Device
	starts, waits int
}

func (d *counts) StartAll(ops []device.Operation, requests []device.Request) (int, error) {
	d.starts++
	return d.Device.StartAll(ops, requests)
}

func (d *counts) WaitAll(requests []device.Request, statuses []device.Status) (int, error) {
	d.waits++
	return d.Device.WaitAll(requests, statuses)
}

// Requests that a device starts and completes together have the outcomes of those that it does not.
func TestRequestsTogether(t *testing.T) {
	for _, transport := range []string{"naive", "memwire"} {
		for _, n := range []int{1, 2, 3} {
			ranks(t, transport, n, func(w *comm.Comm) error {
				d, batches := w.Device().(*naive.Device)
				over := &counts{Device: d}
				var dev device.Device = over
				if !batches {
					dev = w.Device()
				}
				all, err := comm.World(dev, comm.Options{Context: 1 << 10})
				if err != nil {
					return err
				}
				turned, err := all.Split(0, -all.Rank())
				if err != nil {
					return err
				}
				for _, c := range []*comm.Comm{all, turned} {
					if err := kept(c); err != nil {
						return err
					}
				}
				starts, waits := over.starts, over.waits
				err = cmp.Or(all.Multiple(true), kept(all), all.Multiple(false))
				return cmp.Or(err, must(!batches || starts > 0 && waits > 0, "the device started messages together %d times, and completed them %d times", starts, waits),
					must(over.starts == starts && over.waits == waits, "goroutines that share a device wait in it"), turned.Close(), all.Close())
			})
		}
	}
}

// kept starts persistent requests several times, and waits for them among others.
func kept(c *comm.Comm) error {
	n, me := c.Size(), c.Rank()
	right, left := (me+1)%n, (me+n-1)%n
	var in [6]int64
	out := [6]int64{}
	makes := []func() (comm.Request, error){
		func() (comm.Request, error) { return comm.RecvInit(c, in[0:1], comm.AnySource, 0) },
		func() (comm.Request, error) { return comm.SendInit(c, out[0:1], right, 0) },
		func() (comm.Request, error) { return comm.SendInit(c, out[1:2], right, 1) },
		func() (comm.Request, error) { return comm.RecvInit(c, in[1:2], left, comm.AnyTag) },
		func() (comm.Request, error) { return comm.RecvInit(c, in[5:], comm.ProcNull, 0) },
		func() (comm.Request, error) { return comm.RecvInit(c, in[2:3], left, 2) },
		func() (comm.Request, error) { return comm.SsendInit(c, out[2:3], right, 2) },
	}
	all := make([]comm.Request, len(makes))
	for i, make := range makes {
		var err error
		if all[i], err = make(); err != nil {
			return err
		}
	}
	everything := comm.Vector{Count: 2, Block: 1, Stride: 2}
	for round := range int64(3) {
		for i := range out {
			out[i] = 100*int64(me) + 10*round + int64(i)
		}
		if err := comm.StartAll(all); err != nil {
			return err
		}
		var again *comm.RequestError
		if err := comm.StartAll(all); !errors.As(err, &again) || again.Index != 0 || again.Err != comm.ErrActive {
			return must(false, "active requests can be started: %v", err)
		}
		var pair, strided [3]int64
		plain, e1 := comm.Irecv(c, pair[:2], left, 3)
		sent, e2 := comm.Isend(c, out[3:5], right, 3)
		apart, e3 := comm.IrecvVector(c, strided[:], everything, left, 4)
		last, e4 := comm.Isend(c, out[3:5], right, 4)
		if err := cmp.Or(e1, e2, e3, e4); err != nil {
			return err
		}
		requests := append([]comm.Request{{}, plain}, all...)
		requests = append(requests, all[0], plain, sent, apart, last)
		statuses := make([]comm.Status, len(requests))
		err := comm.WaitAll(requests, statuses)
		var failed *comm.RequestError
		if !errors.As(err, &failed) || failed.Index != len(all)+3 || !errors.Is(err, device.ErrRequest) {
			return must(false, "the error of an old copy is %v, want that of request %d", err, len(all)+3)
		}
		for i, want := range map[int]comm.Status{
			0:            {Source: comm.AnySource, Tag: comm.AnyTag},
			1:            {Source: left, Tag: 3, Bytes: 16},
			2:            {Source: left, Tag: 0, Bytes: 8},
			5:            {Source: left, Tag: 1, Bytes: 8},
			6:            {Source: comm.ProcNull, Tag: comm.AnyTag},
			7:            {Source: left, Tag: 2, Bytes: 8},
			len(all) + 2: {Source: comm.AnySource, Tag: comm.AnyTag}, // it is inactive by then
			len(all) + 5: {Source: left, Tag: 4, Bytes: 16},
		} {
			if statuses[i] != want {
				return must(false, "round %d: status %d is %+v, want %+v", round, i, statuses[i], want)
			}
		}
		theirs := 100*int64(left) + 10*round
		if in != [6]int64{theirs, theirs + 1, theirs + 2} || pair != [3]int64{theirs + 3, theirs + 4} || strided != [3]int64{theirs + 3, 0, theirs + 4} {
			return must(false, "round %d: received %v, %v and %v", round, in, pair, strided)
		}
		for i := range requests {
			if requests[i].Active() {
				return must(false, "round %d: request %d is active", round, i)
			}
		}
	}
	return nil
}

// A channel over a device that starts messages together does, and its other requests are complete
// beside them.
func TestChannelTogether(t *testing.T) {
	ranks(t, "naive", 2, func(w *comm.Comm) error {
		over := &counts{Device: w.Device().(*naive.Device)}
		all, err := comm.World(over, comm.Options{Context: 1 << 10})
		if err != nil {
			return err
		}
		turned, err := all.Split(0, -all.Rank())
		if err != nil {
			return err
		}
		ch, err := comm.NewChannel(turned)
		if err != nil {
			return err
		}
		b, peer := ch.(device.Batcher), 1-ch.Rank()
		out, in := []byte{byte(ch.Rank())}, make([]byte, 2)
		ops := []device.Operation{{Buf: in[:1], Peer: peer, Tag: 1, Receives: true}, {Buf: out, Peer: peer, Tag: 1, Context: 1}, {Buf: out, Peer: comm.ProcNull},
			{Buf: in[1:], Peer: device.AnySource, Tag: 1, Context: 1, Receives: true}, {Buf: out, Peer: peer, Tag: 1}, {Buf: out, Peer: 9}}
		requests, statuses := make([]device.Request, len(ops)), make([]device.Status, len(ops)-1)
		n, err := b.StartAll(ops, requests)
		var wrong *comm.ArgumentError
		if n != len(statuses) || !errors.As(err, &wrong) || wrong.Value != 9 {
			return must(false, "%d are started, error %v; want %d and an *ArgumentError", n, err, len(statuses))
		}
		if _, err := b.WaitAll(requests[:n], statuses); err != nil {
			return err
		}
		want := device.Status{Source: peer, Tag: 1, Size: 1}
		if statuses[0] != want || statuses[3] != want || in[0] != byte(peer) || in[1] != byte(peer) {
			return must(false, "received %v with %+v", in, statuses)
		}
		for range 2 {
			ops = []device.Operation{ops[0], {Buf: out, Peer: peer, Tag: 1}}
			if _, err := b.StartAll(ops, requests); err != nil {
				return err
			}
			if _, err := b.WaitAll(requests[:2], statuses[:2]); err != nil || statuses[0] != want {
				return must(false, "error %v, status %+v, want %+v", err, statuses[0], want)
			}
		}
		return must(over.waits == 2, "%d waits for several requests, want 2", over.waits)
	})
}
