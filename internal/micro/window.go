package micro

import (
	"gobench/bench"
	"gobench/device"
)

// A window is the operation of a rank in a streaming benchmark: in each event it takes its steps in
// order, such as to start a window of messages, to wait for them, and to receive a byte.
type window struct {
	steps    []func(*window) error
	ch       device.Channel
	peer     int
	out      []byte
	in       []byte
	sends    []device.Request
	receives []device.Request
	ack      []byte
}

// Streams of a rank.
const (
	slotData = 0
	slotAck  = 1
)

// newWindow returns the operation of a rank that sends to a peer, receives from it, or both.
// acknowledges states that the rank sends the byte that ends or begins an event; otherwise it
// receives it.
func newWindow(env *bench.Env, peer int, sends, receives, acknowledges bool, steps ...func(*window) error) *window {
	w := &window{steps: steps, ch: env.Channel, peer: peer}
	if sends {
		w.out = env.Send(slotData)
		w.sends = make([]device.Request, env.Window)
	}
	if receives {
		w.in = env.Recv(w.peer, slotData)
		w.receives = make([]device.Request, env.Window)
	}
	if acknowledges {
		w.ack = env.SendN(slotAck, 1)
	} else {
		w.ack = env.RecvN(w.peer, slotAck, 1)
	}
	return w
}

// Do implements bench.Op.
func (w *window) Do(k int) error {
	for range k {
		for _, step := range w.steps {
			if err := step(w); err != nil {
				return err
			}
		}
	}
	return nil
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

// wait completes all requests, receives first.
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

// sendAck and recvAck move one byte from the receiver to the sender, as in IMB.
func (w *window) sendAck() error {
	return w.ch.Send(w.ack, w.peer, tag, bench.Context)
}

func (w *window) recvAck() error {
	_, err := w.ch.Recv(w.ack, w.peer, tag, bench.Context)
	return err
}
