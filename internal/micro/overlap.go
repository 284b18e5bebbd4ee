package micro

import (
	"gobench/bench"
	"gobench/device"
)

// The benchmarks of overlap measure how much of a transfer a computation of the same length hides,
// on the side that sends, on the side that receives, and where both do both. The computation is
// between the start of the transfer and the call that waits for it, and tests it Env.Polls times.
// Without tests only progress outside of calls counts, such as that of a network's DMA or of the
// other rank.

// OverlapSend returns the overlap of a send: the first rank of a pair computes, the second waits
// for the message and answers with one byte.
func OverlapSend() bench.Benchmark {
	return overlap("overlap_send", "a message started, a computation, and the wait: the share of a send that is hidden", 1, first,
		func(env *bench.Env, t *transfer) {
			if t.computes = first(env.Rank(), env.Size()); t.computes {
				t.out, t.token = env.Send(slotData), env.RecvN(t.peer, slotAck, 1)
				t.start, t.finish = (*transfer).send, (*transfer).recvToken
			} else {
				t.in, t.token = env.Recv(t.peer, slotData), env.SendN(slotAck, 1)
				t.start, t.finish = (*transfer).receive, (*transfer).sendToken
			}
		})
}

// OverlapRecv returns the overlap of a receive: the first rank of a pair starts it, asks for the
// message with one byte, and computes.
func OverlapRecv() bench.Benchmark {
	return overlap("overlap_recv", "a receive started, a computation, and the wait: the share of a receive that is hidden", 1, first,
		func(env *bench.Env, t *transfer) {
			if t.computes = first(env.Rank(), env.Size()); t.computes {
				t.in, t.token = env.Recv(t.peer, slotData), env.SendN(slotAck, 1)
				t.start, t.finish = (*transfer).ask, (*transfer).nothing
			} else {
				t.out, t.token = env.Send(slotData), env.RecvN(t.peer, slotAck, 1)
				t.start, t.finish = (*transfer).answer, (*transfer).nothing
			}
		})
}

// OverlapBoth returns the overlap of an exchange: both ranks send, receive and compute.
func OverlapBoth() bench.Benchmark {
	return overlap("overlap_both", "a message each way started, a computation, and the wait: the share of an exchange that is hidden", 2, all,
		func(env *bench.Env, t *transfer) {
			t.computes = true
			t.out, t.in = env.Send(slotData), env.Recv(t.peer, slotData)
			t.start, t.finish = (*transfer).exchange, (*transfer).nothing
		})
}

// overlap completes a benchmark of overlap with a number of messages in an event; set gives a
// transfer its buffers and steps.
func overlap(name, about string, messages int, timed func(rank, ranks int) bool, set func(*bench.Env, *transfer)) bench.Benchmark {
	return bench.Benchmark{
		Name: name, About: about,
		Pattern: bench.Pairs, Overlap: true,
		Metric: "t_s", Scale: 1,
		Amount:  func(ranks, _ int) int { return ranks / 2 * messages },
		Formula: "t = time of the transfer without computation; " + bench.OverlapFormula,
		Buffers: bench.Fixed(messages),
		Traffic: always(device.Traffic{Both: messages > 1}),
		Timed:   timed,
		New: func(env *bench.Env) bench.Op {
			t := &transfer{ch: env.Channel, peer: partner(env.Rank(), env.Size()), polls: env.Polls}
			set(env, t)
			return t
		},
	}
}

// A transfer is one rank's part of an event: it starts messages, computes, waits for them, and
// finishes.
type transfer struct {
	ch       device.Channel
	peer     int
	out, in  []byte
	token    []byte // of one byte
	computes bool
	polls    int
	pending  [2]device.Request // 0 = none, or complete
	start    func(*transfer) error
	finish   func(*transfer) error
}

// Do implements bench.Op.
func (t *transfer) Do(k int) error { return t.Overlap(k, nil) }

// Overlap implements bench.Overlapper; without work (nil) nothing is computed.
func (t *transfer) Overlap(k int, work *bench.Work) error {
	for range k {
		if err := t.start(t); err != nil {
			return err
		}
		if work != nil && t.computes {
			for part := range t.polls + 1 {
				if part > 0 {
					if err := t.test(); err != nil {
						return err
					}
				}
				work.Part(part, t.polls+1)
			}
		}
		if err := t.wait(); err != nil {
			return err
		}
		if err := t.finish(t); err != nil {
			return err
		}
	}
	return nil
}

// test tests each message that is under way once.
func (t *transfer) test() error {
	for i, q := range t.pending {
		if q == 0 {
			continue
		}
		_, done, err := t.ch.Test(q)
		if err != nil {
			return err
		}
		if done {
			t.pending[i] = 0
		}
	}
	return nil
}

func (t *transfer) wait() error {
	for i, q := range t.pending {
		if q == 0 {
			continue
		}
		if _, err := t.ch.Wait(q); err != nil {
			return err
		}
		t.pending[i] = 0
	}
	return nil
}

func (t *transfer) send() (err error) {
	t.pending[0], err = t.ch.Isend(t.out, t.peer, tag, bench.Context)
	return err
}

func (t *transfer) receive() (err error) {
	t.pending[1], err = t.ch.Irecv(t.in, t.peer, tag, bench.Context)
	return err
}

func (t *transfer) exchange() error {
	if err := t.receive(); err != nil {
		return err
	}
	return t.send()
}

func (t *transfer) sendToken() error {
	return t.ch.Send(t.token, t.peer, tag, bench.Context)
}

func (t *transfer) recvToken() error {
	_, err := t.ch.Recv(t.token, t.peer, tag, bench.Context)
	return err
}

// ask starts the receive and tells the sender so.
func (t *transfer) ask() error {
	if err := t.receive(); err != nil {
		return err
	}
	return t.sendToken()
}

// answer sends when the receiver has started.
func (t *transfer) answer() error {
	if err := t.recvToken(); err != nil {
		return err
	}
	return t.send()
}

func (t *transfer) nothing() error { return nil }
