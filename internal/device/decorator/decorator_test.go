package decorator

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"gobench/device"
	"gobench/device/devicetest/naive"
)

// meeting is a job of two ranks that exchange blobs.
type meeting struct{ blobs [2]chan []byte }

type attendee struct {
	*meeting
	rank int
}

func (a attendee) Rank() int      { return a.rank }
func (a attendee) Size() int      { return 2 }
func (a attendee) LocalSize() int { return 2 }
func (a attendee) Hosts() []int   { return []int{0, 0} }
func (a attendee) Exchange(_ context.Context, blob []byte) ([][]byte, error) {
	all := make([][]byte, 2)
	all[a.rank] = blob
	a.blobs[a.rank] <- blob
	all[1-a.rank] = <-a.blobs[1-a.rank]
	return all, nil
}

// pair opens two naive devices. A test uses them from one goroutine.
func pair(t *testing.T) (a, b device.Device) {
	t.Helper()
	driver := &naive.Driver{}
	m := &meeting{[2]chan []byte{make(chan []byte, 1), make(chan []byte, 1)}}
	var devices [2]device.Device
	var opened sync.WaitGroup
	for rank := range devices {
		opened.Go(func() {
			var err error
			if devices[rank], err = driver.Open(context.Background(), attendee{m, rank}, device.Options{}); err != nil {
				t.Error(err)
			}
		})
	}
	opened.Wait()
	return devices[0], devices[1]
}

func try(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// always selects all contexts.
func always(int32) bool { return true }

func TestCorruptDamagesEveryKthMessage(t *testing.T) {
	a, plain := pair(t)
	b := CorruptIn[device.Device](always, plain, 2, new(Tally))
	in := make([]byte, 8)
	for i := range 8 {
		try(t, a.Send([]byte("abcdef"), 1, int32(i), 0))
		switch i % 3 { // every way to receive
		case 0:
			_, err := b.Recv(in, 0, int32(i), 0)
			try(t, err)
		case 1:
			q, err := b.Irecv(in, 0, int32(i), 0)
			try(t, err)
			_, err = b.Wait(q)
			try(t, err)
		case 2:
			q, err := b.Irecv(in, 0, int32(i), 0)
			try(t, err)
			if _, done, err := b.Test(q); !done || err != nil {
				t.Fatal(done, err)
			}
		}
		want := "abcdef"
		if i%2 == 1 {
			want = "abcde&"
		}
		if string(in[:6]) != want {
			t.Errorf("message %d is %q, want %q", i, in[:6], want)
		}
	}
	try(t, a.Send(nil, 1, 0, 0)) // nothing to damage
	_, err := b.Recv(in, 0, 0, 0)
	try(t, err)
}

func TestDropLosesAPeer(t *testing.T) {
	a, b := pair(t)
	tally := new(Tally)
	d := Drop[device.Channel](a, 1, 3, tally)
	buf := make([]byte, 4)
	early, err := d.Irecv(buf, 1, 9, 0) // 1
	try(t, err)
	try(t, d.Send(buf, 1, 0, 0)) // 2
	try(t, d.Send(buf, 0, 0, 0)) // does not need the peer
	try(t, b.Send(buf, 0, 1, 0))
	_, err = d.Recv(buf, 1, 1, 0) // 3
	try(t, err)
	lost := func(err error) {
		t.Helper()
		var pe *device.PeerError
		if !errors.As(err, &pe) || pe.Rank != 1 {
			t.Errorf("error is %v, want a *PeerError of rank 1", err)
		}
	}
	lost(d.Send(buf, 1, 0, 0))
	_, err = d.Recv(buf, 1, 0, 0)
	lost(err)
	_, err = d.Irecv(buf, device.AnySource, 0, 0)
	lost(err)
	_, err = d.Wait(early)
	lost(err)
	full := d.(device.Device)
	_, err = full.Probe(1, 0, 0)
	lost(err)
	lost(full.Ssend(buf, 1, 0, 0))
	_, err = d.Recv(buf, 0, 0, 0)
	try(t, err)
}

func TestDelayDelaysSendsOnly(t *testing.T) {
	for _, delay := range []time.Duration{300 * time.Microsecond, 2 * time.Millisecond} {
		a, b := pair(t)
		d := Delay[device.Device](a, delay)
		start := time.Now()
		q, err := d.Irecv(nil, 1, 0, 0)
		try(t, err)
		before := time.Since(start)
		start = time.Now()
		try(t, d.Send(nil, 1, 0, 0))
		_, err = d.Isend(nil, 1, 0, 0)
		try(t, err)
		if took := time.Since(start); took < 2*delay {
			t.Errorf("two sends with a delay of %v took %v; a receive took %v", delay, took, before)
		}
		try(t, b.Send(nil, 0, 0, 0))
		_, err = d.Wait(q)
		try(t, err)
	}
}

// near is a channel with the ability CoreLatencyMeter.
type near struct{ device.Channel }

func (near) CoreLatency(peer, line, rounds int) (float64, error) {
	return float64(peer * line * rounds), nil
}

// TestAbilitiesSurvive wraps every combination of abilities.
func TestAbilitiesSurvive(t *testing.T) {
	a, _ := pair(t)
	type onlyChannel struct{ device.Channel }
	cases := []struct {
		inner                device.Channel
		whole, nearby, binds bool
	}{
		{onlyChannel{a}, false, false, false},
		{near{a}, false, true, false},
		{whole{a}, true, false, false},
		{wholeAndNear{a}, true, true, false},
		{binding{a, noBinder{}, nil}, true, false, true},
		{bindingAndNear{wholeAndNear{a}, noBinder{}}, true, true, true},
	}
	for _, c := range cases {
		for _, w := range []device.Channel{Delay(c.inner, 0), Drop(c.inner, 0, 9, new(Tally)), CorruptIn(always, c.inner, 1, new(Tally)), Wrap(c.inner, observer{})} {
			if _, ok := w.(device.Device); ok != c.whole {
				t.Errorf("%T wrapped is a Device: %t, want %t", c.inner, ok, c.whole)
			}
			d, ok := w.(device.CoreLatencyMeter)
			if ok != c.nearby {
				t.Errorf("%T wrapped is a CoreLatencyMeter: %t, want %t", c.inner, ok, c.nearby)
			} else if ok {
				if x, err := d.CoreLatency(3, 2, 5); x != 30 || err != nil {
					t.Errorf("distance is %v, %v", x, err)
				}
			}
			if b, ok := w.(device.Binder); ok != c.binds {
				t.Errorf("%T wrapped is a Binder: %t, want %t", c.inner, ok, c.binds)
			} else if ok && b.Bind(1, nil) != errBound {
				t.Errorf("%T wrapped does not forward Bind", c.inner)
			} else if _, confines := c.inner.(device.Confiner); ok && (b.(device.Confiner).Confine(1, nil) == errConfined) != confines {
				t.Errorf("%T wrapped does not forward Confine", c.inner)
			}
			if d, ok := w.(interface{ OneThread() bool }); ok != c.whole || ok && d.OneThread() != c.nearby {
				t.Errorf("%T wrapped may be called by several threads", c.inner)
			}
			if _, ok := w.(device.Sharer); ok {
				t.Errorf("%T wrapped is a Sharer", c.inner)
			}
			if w.Rank() != 0 || w.Size() != 2 {
				t.Errorf("rank %d of %d", w.Rank(), w.Size())
			}
		}
	}
}

type whole struct{ device.Device }

// binding has the abilities Confiner and Sharer, of which the latter is hidden.
type binding struct {
	device.Device
	noBinder
	device.Sharer
}

func (binding) Confine(int32, []int) error { return errConfined }

type bindingAndNear struct {
	wholeAndNear
	noBinder
}

var errBound, errConfined = errors.New("bound"), errors.New("confined")

type noBinder struct{}

func (noBinder) Bind(int32, []int) error { return errBound }
func (noBinder) Unbind(int32)            {}

type wholeAndNear struct{ device.Device }

func (wholeAndNear) OneThread() bool { return true }

func (wholeAndNear) CoreLatency(peer, line, rounds int) (float64, error) {
	return float64(peer * line * rounds), nil
}

// observer is a Hook that does nothing.
type observer struct{}

func (observer) Before(*Call) error                                       { return nil }
func (observer) After(_ *Call, _ bool, _ *device.Status, err error) error { return err }
