package protocol

import (
	"errors"
	"testing"
	"time"

	"gobench/device"
)

var errTest = errors.New("the test interrupts")

// interrupted fails unless err is an *device.InterruptedError that names rank.
func interrupted(t *testing.T, err error, rank int) {
	t.Helper()
	var in *device.InterruptedError
	if !errors.As(err, &in) || !errors.Is(err, errTest) || in.Rank != rank {
		t.Errorf("error %v, want an *InterruptedError that names rank %d", err, rank)
	}
}

// TestInterruptEndsEverything interrupts a rank with requests of every kind, also those with
// itself, which no peer completes. Nothing is left that a later message or Close could find.
func TestInterruptEndsEverything(t *testing.T) {
	for _, method := range []Method{Pipeline, Get, Put, Split} {
		b := newBoard(3, 2, method)
		b.pending, b.stuck = true, true
		all := b.devices(t, nil)
		d := all[0]
		big := make([]byte, 100_000)
		var needs []device.Request
		add := func(r device.Request, err error) {
			if err != nil {
				t.Fatal(err)
			}
			needs = append(needs, r)
		}
		add(d.Irecv(big, 2, 1, 1))
		add(d.Irecv(big, device.AnySource, 1, 2))
		add(d.Irecv(big, 0, 5, 1))
		add(d.Issend(big, 0, 6, 1))
		if _, err := d.Isend(big, 1, 1, 1); err != nil { // it may complete
			t.Fatal(err)
		}
		for range 10 { // more than the queue takes
			add(d.Issend(big[:8], 2, 1, 1))
		}
		all[1].Irecv(big, 0, 1, 1)
		settleAll(all)
		if err := d.Bind(9, []int{0, 1}); err != nil {
			t.Fatal(err)
		}
		d.Interrupt(errTest)
		for i, r := range needs {
			_, err := d.Wait(r)
			var in *device.InterruptedError
			if !errors.As(err, &in) {
				t.Errorf("%v: request %d: %v, want an *InterruptedError", method, i, err)
			}
		}
		_, err := d.Recv(big, 1, 1, 1)
		interrupted(t, err, 2)
		_, err = d.Recv(big, 0, 6, 1)
		interrupted(t, err, 2)
		interrupted(t, d.Send(big, 2, 1, 1), 2)
		_, err = d.Probe(device.AnySource, 1, 1)
		interrupted(t, err, 2)
		_, err = d.Irecv(big, 1, 1, 9)
		interrupted(t, err, 2)
		interrupted(t, d.Progress(&device.WaitState{}, 1, device.AnySource), 2)
		if d.requests.live > 1 || len(d.backlog) != 0 {
			t.Errorf("%v: %d requests are left", method, d.requests.live)
		}
		if err := d.Close(); err != nil {
			t.Errorf("%v: close after an interrupt: %v", method, err)
		}
	}
}

// TestInterruptNamesAwaited: an interrupt names the peer for which the rank waits, whatever else is
// posted. Where the call does not tell, it names the one that all requests need, if there is one.
func TestInterruptNamesAwaited(t *testing.T) {
	buf := make([]byte, 10)
	for name, c := range map[string]struct {
		posted []int // sources of receives
		wait   func(d *Device) error
		want   int
	}{
		"receive":       {[]int{2}, func(d *Device) error { _, err := d.Recv(buf, 1, 1, 1); return err }, 1},
		"synchronous":   {[]int{2}, func(d *Device) error { return d.Ssend(buf, 1, 1, 1) }, 1},
		"probe":         {[]int{2}, func(d *Device) error { _, err := d.Probe(1, 1, 1); return err }, 1},
		"any source":    {[]int{2, 1}, func(d *Device) error { _, err := d.Recv(buf, device.AnySource, 1, 1); return err }, -1},
		"any of two":    {[]int{2, 1}, peeked, -1},
		"any of one":    {[]int{2, 0, 2}, peeked, 2},
		"none":          {[]int{0}, peeked, -1},
		"own":           {nil, func(d *Device) error { _, err := d.Recv(buf, 0, 1, 1); return err }, -1},
		"shared":        {[]int{2}, shares(1), 1},
		"shared by all": {[]int{2}, shares(device.AnySource), 2},
	} {
		t.Run(name, func(t *testing.T) {
			d := newBoard(3, 2).devices(t, nil)[0]
			for _, source := range c.posted {
				if _, err := d.Irecv(buf, source, 2, 1); err != nil {
					t.Fatal(err)
				}
			}
			d.Interrupt(errTest)
			interrupted(t, c.wait(d), c.want)
		})
	}
}

// peeked waits for any request, and returns its error.
func peeked(d *Device) error {
	r, err := d.Peek()
	if err == nil {
		_, err = d.Wait(r)
	}
	return err
}

// shares waits for a peer in shared memory.
func shares(peer int) func(d *Device) error {
	return func(d *Device) (err error) {
		for w := (device.WaitState{}); err == nil; w.Polls++ {
			err = d.Progress(&w, 1, peer)
		}
		return err
	}
}

// TestInterruptEndsClose: a peer that never closes, because it is stopped, does not keep this rank.
func TestInterruptEndsClose(t *testing.T) {
	d := newBoard(2, 100).devices(t, nil)[0]
	now := time.Unix(1_000_000, 0)
	begun := now
	d.clock = func() time.Time {
		if now = now.Add(closeStep); now.Sub(begun) > time.Second {
			d.Interrupt(errTest)
			d.idled = time.Time{} // its time is another clock's
		}
		return now
	}
	if err := d.Close(); err != nil || now.Sub(begun) > 2*time.Second {
		t.Errorf("Close: %v after %v", err, now.Sub(begun))
	}
}

// TestInterruptOfRaw interrupts a channel of level raw in a receive, and in a send without room.
func TestInterruptOfRaw(t *testing.T) {
	options, err := device.ParseOptions(Options(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, send := range []bool{false, true} {
		d, err := NewRaw(&boardWire{board: newBoard(2, 2)}, Config{Transport: "board", Size: 2, LocalSize: 1, Options: options})
		if err != nil {
			t.Fatal(err)
		}
		d.Interrupt(errTest)
		if send {
			err = d.Send(make([]byte, 10_000), 1, 1, 1)
		} else {
			_, err = d.Recv(make([]byte, 10), 1, 1, 1)
		}
		interrupted(t, err, 1)
		if err := d.Close(); err != nil {
			t.Errorf("close after an interrupt: %v", err)
		}
	}
}
