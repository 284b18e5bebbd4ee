package micro

import (
	"gobench/bench"
	"gobench/comm"
	"gobench/device"
)

// The benchmarks of matching measure what surrounds a message at the levels that match messages by
// source and tag. Those of one message differ in one thing from expected: what they cost more, or
// less, is the cost of it.

// tagAfter is the tag of the byte that follows a message, and tagOther that of messages and
// receives that fill queues.
const (
	tagAfter int32 = 2
	tagOther int32 = 3
)

// matchings returns the benchmarks: what each costs is the difference to another one.
func matchings() []bench.Benchmark {
	return []bench.Benchmark{
		matching("expected", "a message whose receive is posted before it is sent, and a byte behind it", (*receiver).expected),
		matching("unexpected", "a message that has arrived before its receive is posted: what a late receive costs, against expected", (*receiver).unexpected),
		matching("probed", "a message that has arrived, probed for and then received: what MPI_Probe costs, against unexpected", (*receiver).probed),
		matching(matchedProbe, "a message that has arrived, taken by a matched probe and then received: what MPI_Mprobe costs, against probed", (*receiver).matched),
		matching("wildcard", "a message received from any source with any tag: what wildcards cost, against expected", (*receiver).wildcard),
		synchronousPingPong(), buffered(), persistent(), persistentUniband(), persistentBiband(), partitioned(),
		matching(postedQueue, "a message that is compared with a window of posted receives of another tag first: the cost of a long queue", (*receiver).expected),
		matching(unexpectedQueue, "a receive that is compared with a window of arrived messages of another tag first: the cost of a long queue", (*receiver).unexpected),
	}
}

// Benchmarks of a communicator, and behind a window of posted receives, or of messages, that do not
// match.
const (
	matchedProbe    = "mprobe"
	postedQueue     = "posted_queue"
	unexpectedQueue = "unexpected_queue"
)

// synchronousPingPong returns IMB's PingPong with synchronous sends, which end when the receiver
// has matched.
func synchronousPingPong() bench.Benchmark {
	b := PingPong()
	b.Name, b.Aliases = "ssend", []string{"synchronous"}
	b.About = "pingpong with synchronous sends (MPI_Ssend): half the round trip"
	b.Formula = "half_rtt = t / 2, bandwidth = pairs x size / half_rtt (IMB-MPI1 PingPong with MPI_Ssend)"
	b.Queues = true
	b.New = func(env *bench.Env) bench.Op {
		half := pingpong{synchronous{env.Channel.(bench.Matcher)}, partner(env.Rank(), env.Size()), nil, nil}
		half.out, half.in = env.Send(0), env.Recv(half.peer, 0)
		return half.side(env)
	}
	return b
}

// synchronous is a channel whose Send is Ssend.
type synchronous struct{ bench.Matcher }

func (s synchronous) Send(buf []byte, dst int, tag, context int32) error {
	return s.Ssend(buf, dst, tag, context)
}

// matching completes a benchmark of matching: the first rank of a pair receives.
func matching(name, about string, round func(*receiver) error) bench.Benchmark {
	return bench.Benchmark{
		Name: name, About: about,
		Pattern: bench.Pairs, Queues: true, Communicator: name == matchedProbe, Window: name == postedQueue || name == unexpectedQueue,
		Metric: "t_s", Scale: 1,
		Amount:  func(ranks, _ int) int { return ranks / 2 },
		Formula: "t = time of a round: one byte asks for the message, the message, one byte behind it",
		Buffers: bench.Fixed(1),
		Timed:   first,
		New: func(env *bench.Env) bench.Op {
			ch, peer := env.Channel.(bench.Matcher), partner(env.Rank(), env.Size())
			if first(env.Rank(), env.Size()) {
				r := &receiver{ch: ch, peer: peer, round: round, in: env.Recv(peer, slotData), after: env.RecvN(peer, slotAck, 1), ask: env.SendN(slotAck, 1)}
				if name == matchedProbe {
					r.c, r.err = communicator(env, name)
				}
				if name == postedQueue {
					r.post(env.Window)
				}
				if name == unexpectedQueue {
					r.others = env.Window
				}
				return r
			}
			s := &sender{ch: ch, peer: peer, out: env.Send(slotData), after: env.SendN(slotAck, 1), ask: env.RecvN(peer, slotAck, 1)}
			if name == unexpectedQueue {
				s.fill(env.Window)
			}
			return s
		},
	}
}

// A sender sends a message and a byte behind it when it is asked to.
type sender struct {
	ch              bench.Matcher
	peer            int
	out, after, ask []byte
	err             error // of messages that fill the queue
}

func (s *sender) Do(k int) error {
	if s.err != nil {
		return s.err
	}
	for range k {
		if _, err := s.ch.Recv(s.ask, s.peer, tag, bench.Context); err != nil {
			return err
		}
		q, err := s.ch.Isend(s.out, s.peer, tag, bench.Context) // a long message ends when it is received
		if err != nil {
			return err
		}
		if err := s.ch.Send(s.after, s.peer, tagAfter, bench.Context); err != nil {
			return err
		}
		if _, err := s.ch.Wait(q); err != nil {
			return err
		}
	}
	return nil
}

// fill sends n messages of no bytes that are received when the case ends.
func (s *sender) fill(n int) {
	for i := 0; i < n && s.err == nil; i++ {
		s.err = s.ch.Send(nil, s.peer, tagOther, bench.Context)
	}
}

// A receiver asks for a message and receives it.
type receiver struct {
	ch             bench.Matcher
	peer           int
	in, after, ask []byte
	round          func(*receiver) error
	posted         []device.Request // that match nothing
	others         int              // messages that nobody receives before the case ends
	err            error            // of New
	c              *comm.Comm       // of a matched probe
}

func (r *receiver) Do(k int) error {
	if r.err != nil {
		return r.err
	}
	for range k {
		if err := r.round(r); err != nil {
			return err
		}
	}
	return nil
}

// post posts n receives of messages that are never sent.
func (r *receiver) post(n int) {
	r.posted = make([]device.Request, 0, n)
	for range n {
		q, err := r.ch.Irecv(nil, r.peer, tagOther, bench.Context)
		if err != nil {
			r.err = err
			return
		}
		r.posted = append(r.posted, q)
	}
}

// Close implements bench.Closer: it empties the queues. The next operation of the channel returns
// its errors.
func (r *receiver) Close() {
	for _, q := range r.posted {
		if r.ch.Cancel(q) == nil {
			r.ch.Wait(q)
		}
	}
	r.posted = nil
	for ; r.others > 0; r.others-- {
		if _, err := r.ch.Recv(nil, r.peer, tagOther, bench.Context); err != nil {
			return
		}
	}
}

func (r *receiver) send() error { return r.ch.Send(r.ask, r.peer, tag, bench.Context) }

// arrived waits for the byte behind the message: messages of a rank arrive in order.
func (r *receiver) arrived() error {
	_, err := r.ch.Recv(r.after, r.peer, tagAfter, bench.Context)
	return err
}

// late returns when the message has arrived.
func (r *receiver) late() error {
	if err := r.send(); err != nil {
		return err
	}
	return r.arrived()
}

func (r *receiver) expected() error { return r.early(r.peer, tag) }
func (r *receiver) wildcard() error { return r.early(device.AnySource, device.AnyTag) }

func (r *receiver) early(source int, tag int32) error {
	q, err := r.ch.Irecv(r.in, source, tag, bench.Context)
	if err != nil {
		return err
	}
	if err := r.late(); err != nil {
		return err
	}
	_, err = r.ch.Wait(q)
	return err
}

func (r *receiver) unexpected() error {
	if err := r.late(); err != nil {
		return err
	}
	_, err := r.ch.Recv(r.in, r.peer, tag, bench.Context)
	return err
}

func (r *receiver) probed() error {
	if err := r.late(); err != nil {
		return err
	}
	s, err := r.ch.Probe(r.peer, tag, bench.Context)
	if err != nil {
		return err
	}
	_, err = r.ch.Recv(r.in, s.Source, s.Tag, bench.Context)
	return err
}

func (r *receiver) matched() error {
	if err := r.late(); err != nil {
		return err
	}
	m, _, err := comm.Mprobe(r.c, r.peer, int(tag))
	if err != nil {
		return err
	}
	_, err = comm.Mrecv(&m, r.in)
	return err
}
