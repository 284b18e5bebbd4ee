package micro

import (
	"errors"

	"gobench/bench"
	"gobench/comm"
)

// buffered returns PingPong with sends that are copied into an attached buffer.
func buffered() bench.Benchmark {
	b := inMode("bsend", "pingpong with buffered sends (MPI_Bsend): half the round trip", func(m *sendMode, c *comm.Comm, out, in []byte, peer, _ int) error {
		m.send = func() error { return comm.Bsend(c, out, peer, int(tag)) }
		m.receive = func() error {
			_, err := comm.Recv(c, in, peer, int(tag))
			return err
		}
		// A send may be incomplete here when the answer to it has arrived.
		err := comm.AttachBuffer(c, make([]byte, 4*len(out)))
		if errors.Is(err, comm.ErrAttached) {
			return nil // by another copy of the operation, which detaches it
		}
		if err == nil {
			m.close = func() { comm.DetachBuffer(c) } // after the answer to each send
		}
		return err
	})
	b.Buffers = bench.Fixed(6)
	return b
}

// persistent returns PingPong with persistent requests.
func persistent() bench.Benchmark {
	b := inMode("persistent", "pingpong with persistent requests (MPI_Send_init, MPI_Start): half the round trip", func(m *sendMode, c *comm.Comm, out, in []byte, peer, _ int) error {
		send, err := comm.SendInit(c, out, peer, int(tag))
		if err != nil {
			return err
		}
		receive, err := comm.RecvInit(c, in, peer, int(tag))
		m.post = receive.Start
		m.send = func() error {
			if err := send.Start(); err != nil {
				return err
			}
			_, err := send.Wait()
			return err
		}
		m.receive = func() error {
			_, err := receive.Wait()
			return err
		}
		return err
	})
	b.Aliases = []string{"osu_latency_persistent"}
	return b
}

// persistentUniband returns Uniband with persistent requests.
func persistentUniband() bench.Benchmark {
	return startedTogether(bench.Benchmark{
		Name:    "persistent_uniband",
		Aliases: []string{"osu_bw_persistent"},
		About:   "uniband with persistent requests (MPI_Startall, MPI_Waitall): bandwidth and message rate",
		Formula: Uniband().Formula,
	}, 1)
}

// persistentBiband returns Biband with persistent requests.
func persistentBiband() bench.Benchmark {
	return startedTogether(bench.Benchmark{
		Name:    "persistent_biband",
		Aliases: []string{"osu_bibw_persistent"},
		About:   "biband with persistent requests (MPI_Startall, MPI_Waitall): bandwidth and message rate",
		Formula: Biband().Formula,
	}, 2)
}

// startedTogether completes a benchmark of windows of persistent requests.
func startedTogether(b bench.Benchmark, senders int) bench.Benchmark {
	b = streaming(b, senders, []step{(*window).startAll, (*window).waitAll, (*window).recvAck}, []step{(*window).startAll, (*window).waitAll, (*window).sendAck})
	b.Threads, b.Communicator = false, true
	plain := b.New
	b.New = func(env *bench.Env) bench.Op {
		w := plain(env).(*window)
		var c *comm.Comm
		if c, w.err = communicator(env, b.Name); w.err == nil {
			w.err = w.initAll(c)
		}
		return w
	}
	return b
}

// initAll makes the requests of startAll, receives first.
func (w *window) initAll(c *comm.Comm) error {
	for i := range len(w.receives) + len(w.sends) {
		q, err := comm.SendInit(c, w.out, w.peer, int(tag))
		if i < len(w.receives) {
			q, err = comm.RecvInit(c, w.in, w.peer, int(tag))
		}
		if err != nil {
			return err
		}
		w.all = append(w.all, q)
	}
	return nil
}

func (w *window) startAll() error {
	if w.err != nil {
		return w.err
	}
	return comm.StartAll(w.all)
}

func (w *window) waitAll() error { return comm.WaitAll(w.all, nil) }

// partitioned returns PingPong with a message that is sent in a window of parts.
func partitioned() bench.Benchmark {
	b := inMode("partitioned", "pingpong with a message that is sent in a window of parts (MPI_Pready): half the round trip", func(m *sendMode, c *comm.Comm, out, in []byte, peer, parts int) error {
		send, err := comm.PsendInit(c, out, parts, peer, int(tag))
		if err != nil {
			return err
		}
		receive, err := comm.PrecvInit(c, in, parts, peer, int(tag))
		if err != nil {
			return err
		}
		m.post, m.receive = receive.Start, receive.Wait
		m.send = func() error {
			if err := send.Start(); err != nil {
				return err
			}
			for i := range parts {
				if err := send.Ready(i); err != nil {
					return err
				}
			}
			return send.Wait()
		}
		return nil
	})
	b.Window, b.Aliases = true, []string{"osu_partitioned_latency"}
	b.Formula += "; size is that of the message, window the number of its parts"
	return b
}

// vector returns the ping-pong of a column of a matrix, which the communicator packs and unpacks.
func vector() bench.Benchmark {
	b := inMode("vector", "every second element of 8 bytes by comm.SendVector (MPI_Type_vector): what packing costs in the communicator, against strided, where the program packs: half the round trip", nil)
	b.Formula += "; elements are smaller if size is no multiple of 8"
	b.Buffers = bench.Fixed(5)
	b.New = func(env *bench.Env) bench.Op {
		over, err := communicator(env, b.Name)
		c := &column{newSendMode(env), env.Rank(), partner(env.Rank(), env.Size()), env.Alloc(env.Bytes), env.Alloc(2 * env.Bytes), env.Alloc(2 * env.Bytes), elements(env.Bytes)}
		c.err = err
		c.send = func() error { return comm.SendVector(over, c.values, c.pattern, c.peer, int(tag)) }
		c.receive = func() error {
			_, err := comm.RecvVector(over, c.received, c.pattern, c.peer, int(tag))
			return err
		}
		return c
	}
	return b
}

// elements returns every second element as a message of n bytes.
func elements(n int) comm.Vector {
	one := word
	for n%one > 0 {
		one /= 2
	}
	return comm.Vector{Count: n / one, Block: one, Stride: 2 * one}
}

// A column is a ping-pong of elements that are not contiguous.
type column struct {
	*sendMode
	rank, peer       int
	message          []byte // contiguous, for the data and its check
	values, received []byte
	pattern          comm.Vector
}

// Prepare implements bench.Checker.
func (c *column) Prepare(iteration uint64, _ bool) {
	for _, of := range []struct {
		fill func(data []byte, iteration uint64)
		to   []byte
	}{{bench.Stream{Rank: c.rank}.Fill, c.values}, {bench.Stream{Rank: c.peer}.Spoil, c.received}} {
		of.fill(c.message, iteration)
		for i, v := range c.message {
			of.to[c.position(i)] = v
		}
	}
}

// Check implements bench.Checker.
func (c *column) Check(iteration uint64) *bench.DataError {
	for i := range c.message {
		c.message[i] = c.received[c.position(i)]
	}
	if at, want := (bench.Stream{Rank: c.peer}).Check(c.message, iteration); at >= 0 {
		return &bench.DataError{Size: len(c.message), Source: c.peer, Offset: at, Want: want, Got: c.message[at]}
	}
	return nil
}

// position returns where a byte of the message is in memory.
func (c *column) position(i int) int { return i/c.pattern.Block*c.pattern.Stride + i%c.pattern.Block }

// betweenGroups returns PingPong between two groups of ranks.
func betweenGroups() bench.Benchmark {
	return inMode("inter", "pingpong over an inter-communicator of two groups of ranks (MPI_Intercomm_create): half the round trip", func(m *sendMode, c *comm.Comm, out, in []byte, peer, _ int) error {
		half := c.Size() / 2
		x, err := c.Divide()
		if err != nil {
			return err
		}
		m.send = func() error { return comm.Send(x, out, peer%half, int(tag)) }
		m.receive = func() error {
			_, err := comm.Recv(x, in, peer%half, int(tag))
			return err
		}
		return nil
	})
}

// A sendMode is one rank's part of a ping-pong over a communicator.
type sendMode struct {
	first               bool
	post, send, receive func() error
	close               func()
	err                 error // of open
}

// inMode completes a ping-pong; open sets the steps of a rank.
func inMode(name, about string, open func(m *sendMode, c *comm.Comm, out, in []byte, peer, window int) error) bench.Benchmark {
	b := PingPong()
	b.Name, b.Aliases, b.About = name, nil, about
	b.Formula = "half_rtt = t / 2, bandwidth = pairs x size / half_rtt"
	b.Threads, b.Communicator = false, true
	b.New = func(env *bench.Env) bench.Op {
		peer, m := partner(env.Rank(), env.Size()), newSendMode(env)
		c, err := communicator(env, name)
		if m.err = err; err == nil {
			m.err = open(m, c, env.Send(0), env.Recv(peer, 0), peer, env.Window)
		}
		return m
	}
	return b
}

func newSendMode(env *bench.Env) *sendMode {
	return &sendMode{first: first(env.Rank(), env.Size()), post: func() error { return nil }, close: func() {}}
}

// Do implements bench.Op.
func (m *sendMode) Do(k int) error {
	if m.err != nil {
		return m.err
	}
	steps := [2]func() error{m.receive, m.send}
	if m.first {
		steps = [2]func() error{m.send, m.receive}
	}
	for range k {
		if err := m.post(); err != nil {
			return err
		}
		for _, step := range steps {
			if err := step(); err != nil {
				return err
			}
		}
	}
	return nil
}

// Close implements bench.Closer.
func (m *sendMode) Close() { m.close() }
