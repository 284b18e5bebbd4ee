package micro

import (
	"slices"

	"gobench/bench"
	"gobench/comm"
	"gobench/device"
)

// A window is the operation of a rank in a streaming benchmark: in each event it takes its steps in
// order, such as to start a window of messages, to wait for them, and to receive a byte.
type window struct {
	steps    []step
	ch       device.Channel
	peer     int
	out      []byte
	in       []byte
	sends    []device.Request
	receives []device.Request
	batch    device.Batcher     // the channel, if it is one; else nil
	requests []device.Request   // of the batch: receives and sends
	ops      []device.Operation // theirs
	ack      []byte
	all      []comm.Request // persistent, in place of sends and receives
	err      error          // of their creation
}

// A step is a part of an event of a window.
type step = func(*window) error

// Streams of a rank.
const (
	slotData = 0
	slotAck  = 1
)

// newWindow returns the operation of a rank that sends to a peer, receives from it, or both.
// acknowledges states that the rank sends the byte that ends or begins an event; otherwise it
// receives it.
func newWindow(env *bench.Env, peer int, sends, receives, acknowledges bool, steps ...step) *window {
	w := &window{steps: steps, ch: env.Channel, peer: peer, requests: make([]device.Request, 0, 2*env.Window)}
	w.batch, _ = env.Channel.(device.Batcher)
	if receives {
		w.in = env.Recv(w.peer, slotData)
		w.receives = w.add(device.Operation{Buf: w.in, Receives: true}, env.Window)
	}
	if sends {
		w.out = env.Send(slotData)
		w.sends = w.add(device.Operation{Buf: w.out}, env.Window)
	}
	if acknowledges {
		w.ack = env.SendN(slotAck, 1)
	} else {
		w.ack = env.RecvN(w.peer, slotAck, 1)
	}
	return w
}

// add adds n equal operations, and returns where their requests are.
func (w *window) add(o device.Operation, n int) []device.Request {
	o.Peer, o.Tag, o.Context = w.peer, tag, bench.Context
	from := len(w.requests)
	w.requests, w.ops = w.requests[:from+n], append(w.ops, slices.Repeat([]device.Operation{o}, n)...)
	return w.requests[from:]
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
	if w.batch != nil {
		_, err = w.batch.StartAll(w.ops[len(w.receives):], w.sends)
		return err
	}
	for i := range w.sends {
		if w.sends[i], err = w.ch.Isend(w.out, w.peer, tag, bench.Context); err != nil {
			return err
		}
	}
	return nil
}

func (w *window) startReceives() (err error) {
	if w.batch != nil {
		_, err = w.batch.StartAll(w.ops[:len(w.receives)], w.receives)
		return err
	}
	for i := range w.receives {
		if w.receives[i], err = w.ch.Irecv(w.in, w.peer, tag, bench.Context); err != nil {
			return err
		}
	}
	return nil
}

// wait completes all requests, receives first.
func (w *window) wait() error {
	if w.batch != nil {
		_, err := w.batch.WaitAll(w.requests, nil)
		return err
	}
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

// Uniband returns IMB-MPI1's Uniband: the first half of the ranks sends a window of messages to the
// second half, which answers with one byte when all have arrived.
func Uniband() bench.Benchmark {
	return streaming(bench.Benchmark{
		Name:    "uniband",
		Aliases: []string{"uni-band", "bw", "bandwidth", "osu_bw", "mbw_mr", "osu_mbw_mr"},
		About:   "a window of messages one way, then one byte back: bandwidth and message rate",
		Formula: "t = time of one window with its answer by all ranks; bandwidth = pairs x window x size / t, message_rate = pairs x window / t (IMB-MPI1 Uniband)",
	}, 1, []step{(*window).startSends, (*window).wait, (*window).recvAck}, []step{(*window).startReceives, (*window).wait, (*window).sendAck})
}

// Biband returns IMB-MPI1's Biband: partners send each other a window of messages at the same time;
// the second half of the ranks then sends one byte.
func Biband() bench.Benchmark {
	return streaming(bench.Benchmark{
		Name:    "biband",
		Aliases: []string{"bi-band", "bibw", "osu_bibw"},
		About:   "a window of messages both ways at once, then one byte: bandwidth and message rate",
		Formula: "t = time of one window each way with its answer by all ranks; bandwidth = 2 x pairs x window x size / t, message_rate = 2 x pairs x window / t (IMB-MPI1 Biband)",
	}, 2, []step{(*window).startReceives, (*window).startSends, (*window).wait, (*window).recvAck},
		[]step{(*window).startReceives, (*window).startSends, (*window).wait, (*window).sendAck})
}

// MsgRate returns a benchmark of the message rate of all pairs together, in one direction, with
// pre-posted receives: the receiver posts a window of receives and sends one byte, then the sender
// sends the window. (OSU's osu_mbw_mr is uniband: messages may arrive before their receives.)
func MsgRate() bench.Benchmark {
	return streaming(bench.Benchmark{
		Name:    "msgrate",
		Aliases: []string{"message-rate", "mr"},
		About:   "all pairs at once, a window of messages into posted receives: message rate",
		Formula: "t = time of one window from 'posted' to the last message by all ranks; message_rate = pairs x window / t, bandwidth = message_rate x size",
	}, 1, []step{(*window).recvAck, (*window).startSends, (*window).wait}, []step{(*window).startReceives, (*window).sendAck, (*window).wait})
}

// streaming completes a benchmark of windows between partners, of which one sends, or two do. The
// second half of the ranks receives, and sends the byte that ends or begins an event.
func streaming(b bench.Benchmark, senders int, steps, others []step) bench.Benchmark {
	b.Pattern, b.Threads, b.Window, b.Rate, b.Timed = bench.Pairs, true, true, true, all
	b.Metric, b.Scale = "t_s", 1
	b.Amount = func(ranks, window int) int { return ranks / 2 * senders * window }
	b.Buffers, b.Traffic = bench.Fixed(senders), always(device.Traffic{Both: senders == 2, Stream: true})
	b.New = func(env *bench.Env) bench.Op {
		peer, both := partner(env.Rank(), env.Size()), senders == 2
		if first(env.Rank(), env.Size()) {
			return newWindow(env, peer, true, both, false, steps...)
		}
		return newWindow(env, peer, both, true, true, others...)
	}
	return b
}
