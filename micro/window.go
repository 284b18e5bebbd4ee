package micro

import (
	"gobench/bench"
	"gobench/device"
)

// window starts many messages and waits for them, the common part of the
// streaming benchmarks.
type window struct {
	ch       device.Channel
	peer     int
	out      []byte
	in       []byte
	sends    []device.Request
	receives []device.Request
	ack      [1]byte
}

func newWindow(env *bench.Env, sends, receives bool) window {
	w := window{ch: env.Channel, peer: partner(env.Rank(), env.Size())}
	if sends {
		w.out = env.Send(0)
		w.sends = make([]device.Request, env.Window)
	}
	if receives {
		w.in = env.Recv(w.peer, 0)
		w.receives = make([]device.Request, env.Window)
	}
	return w
}

func (w *window) startSends() (err error) {
	for i := range w.sends {
		if w.sends[i], err = w.ch.Isend(w.out, w.peer, tag, bench.Context); err != nil {
			return err
		}
	}
	return nil
}

func (w *window) startReceives() (err error) {
	for i := range w.receives {
		if w.receives[i], err = w.ch.Irecv(w.in, w.peer, tag, bench.Context); err != nil {
			return err
		}
	}
	return nil
}

// wait completes all, receives first.
func (w *window) wait() error {
	for _, r := range w.receives {
		if _, err := w.ch.Wait(r); err != nil {
			return err
		}
	}
	for _, r := range w.sends {
		if _, err := w.ch.Wait(r); err != nil {
			return err
		}
	}
	return nil
}

// sendAck and recvAck end an event: one byte from the receiver, as in IMB.
func (w *window) sendAck() error {
	return w.ch.Send(w.ack[:], w.peer, tag, bench.Context)
}

func (w *window) recvAck() error {
	_, err := w.ch.Recv(w.ack[:], w.peer, tag, bench.Context)
	return err
}
