//go:build verbs && cgo

package verbs

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"gobench/transports/verbs/ibv"
)

// BenchmarkPerf measures send, RDMA write and RDMA read as perftest does: latency is half the round trip of
// 8 bytes (for a read, all of it), bandwidth that of 64 KiB messages in one direction. loop=native stays in C, loop=go calls
// into C for every message and every look.
func BenchmarkPerf(b *testing.B) {
	for _, op := range []ibv.Operation{ibv.OpSend, ibv.OpWrite, ibv.OpRead} {
		for _, loop := range []string{"native", "go"} {
			b.Run(fmt.Sprintf("lat/op=%v/loop=%s", short[op], loop), func(b *testing.B) {
				e := newEnds(b, op, 1, 8)
				b.ResetTimer()
				e.both(b, func(i int) error {
					if loop == "go" {
						return e.goLatency(i, b.N)
					}
					return e.rails[i].Latency(&e.perf[i], b.N, i == 0)
				})
				half := 2.0
				if op == ibv.OpRead {
					half = 1
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/half/1000, "us")
			})
			for _, queues := range []int{1, 4} {
				b.Run(fmt.Sprintf("bw/op=%v/loop=%s/qps=%d", short[op], loop, queues), func(b *testing.B) {
					e := newEnds(b, op, queues, 64<<10)
					b.SetBytes(64 << 10)
					b.ResetTimer()
					e.both(b, func(i int) error {
						switch {
						case i == 1 && op == ibv.OpSend:
							return e.rails[1].Sink(b.N)
						case i == 1:
							return nil
						case loop == "go":
							return e.goStream(b.N)
						}
						return e.rails[0].Stream(&e.perf[0], b.N)
					})
				})
			}
		}
	}
}

var short = map[ibv.Operation]string{ibv.OpSend: "send", ibv.OpWrite: "write", ibv.OpRead: "read"}

// ends are two rails that are connected with each other by one queue pair or more.
type ends struct {
	rails [2]*ibv.Rail
	perf  [2]ibv.Perf
	mem   [2][]byte // the first half is sent or read into, the second receives
}

func newEnds(tb testing.TB, op ibv.Operation, queues, length int) *ends {
	tb.Helper()
	if err := ibv.Load(); err != nil {
		tb.Fatal(err)
	}
	places, err := choosePlaces(hcas(sysfs), settings{gid: -1}, 0)
	if err != nil {
		tb.Fatal(err)
	}
	at, e := places[0], new(ends)
	var memory [2]ibv.Memory
	for i := range 2 {
		r, err := ibv.Open(at.device, ibv.Config{Peers: queues, Credits: 64, Buffer: length, Depth: 128, Slots: 256, Inline: 256, Port: at.port.number})
		if err != nil {
			tb.Fatal(err)
		}
		e.rails[i], e.mem[i] = r, make([]byte, 2*length)
		if memory[i], err = r.Register(address(e.mem[i]), uintptr(2*length)); err != nil {
			tb.Fatal(err)
		}
		tb.Cleanup(func() { memory[i].Deregister(); r.Close() })
	}
	for q := range queues {
		var numbers [2]uint32
		for i, r := range e.rails {
			if numbers[i], err = r.Create(q, 1); err != nil {
				tb.Fatal(err)
			}
		}
		for i, r := range e.rails {
			to := ibv.Address{Number: numbers[1-i], Sequence: 1, LID: r.Port().LID, GID: at.gid.addr, MTU: r.Port().MTU}
			if err := r.Connect(q, 1, to, ibv.Path{Global: at.global, GIDIndex: at.gid.index, Timeout: 14, Retries: retries, Reads: 16}); err != nil {
				tb.Fatal(err)
			}
		}
	}
	for i := range 2 {
		lkey, _ := memory[i].Keys()
		_, rkey := memory[1-i].Keys()
		e.perf[i] = ibv.Perf{Op: op, Queues: uint32(queues), Length: uint32(length), LKey: lkey, RKey: rkey,
			Out: uint64(address(e.mem[i])), In: uint64(address(e.mem[i][length:])), Remote: uint64(address(e.mem[1-i][length:]))}
	}
	return e
}

// both runs the two sides.
func (e *ends) both(tb testing.TB, side func(i int) error) {
	var all sync.WaitGroup
	for i := range 2 {
		all.Go(func() {
			if err := side(i); err != nil {
				tb.Error(err)
			}
		})
	}
	all.Wait()
}

// await polls, one look for each call, for an event of a kind.
func await(r *ibv.Rail, kind ibv.Kind) error {
	for {
		events, err := r.Poll(1)
		if err != nil {
			return err
		}
		for i := range events {
			switch events[i].Kind {
			case kind:
				return nil
			case ibv.Broken:
				return fmt.Errorf("%v: %v", events[i].Op, events[i].Status)
			}
		}
	}
}

// post posts the next message on a queue.
func (e *ends) post(i, queue int, last bool) error {
	r, p := e.rails[i], &e.perf[i]
	piece := ibv.Piece{Local: p.Out, Remote: p.Remote, LKey: p.LKey, RKey: p.RKey, Length: int(p.Length), Token: 1, Last: last}
	for {
		var s ibv.Sent
		switch p.Op {
		case ibv.OpSend:
			s = r.Send(queue, [3]uint64{1}, e.mem[i][:p.Length], false)
		case ibv.OpWrite:
			s = r.Write(queue, &piece)
		case ibv.OpRead:
			s = r.Read(queue, &piece)
		}
		if s != ibv.NoRoom {
			if s < 0 {
				return s.Err("ibv_post_send")
			}
			return nil
		}
		if _, err := r.Poll(1); err != nil {
			return err
		}
	}
}

func (e *ends) goLatency(i, rounds int) error {
	r, p := e.rails[i], &e.perf[i]
	if p.Op == ibv.OpRead {
		for n := 0; i == 0 && n < rounds; n++ {
			if err := e.post(i, 0, true); err != nil {
				return err
			}
			if err := await(r, ibv.Ended); err != nil {
				return err
			}
		}
		return nil
	}
	words := (*[2]atomic.Uint64)(unsafe.Pointer(&e.mem[i][0])) // 8 bytes out, 8 bytes in
	for n := 1; n <= 2*rounds; n++ {
		switch {
		case n%2 == 1-i: // this side's turn: the first sends in odd turns
			words[0].Store(uint64(n))
			if err := e.post(i, 0, false); err != nil {
				return err
			}
		case p.Op == ibv.OpSend:
			if err := await(r, ibv.Packet); err != nil {
				return err
			}
		default:
			for words[1].Load() != uint64(n) {
			}
		}
	}
	return nil
}

func (e *ends) goStream(messages int) error {
	p := &e.perf[0]
	for n := range messages {
		if err := e.post(0, n%int(p.Queues), messages-n <= int(p.Queues)); err != nil {
			return err
		}
	}
	for q := range int(p.Queues) {
		for p.Op != ibv.OpSend && !e.rails[0].Drained(q) {
			if _, err := e.rails[0].Poll(1); err != nil {
				return err
			}
		}
	}
	return nil
}

// TestPerf runs every measurement once, so that it is known to work.
func TestPerf(t *testing.T) {
	for op := range short {
		e := newEnds(t, op, 2, 64)
		e.both(t, func(i int) error { return e.rails[i].Latency(&e.perf[i], 20, i == 0) })
		if op == ibv.OpWrite && e.mem[1][2*64-1] != 20 {
			t.Errorf("the last byte is %d, want 20", e.mem[1][2*64-1])
		}
		e = newEnds(t, op, 2, 8)
		e.both(t, func(i int) error { return e.goLatency(i, 20) })
		e = newEnds(t, op, 2, 4096)
		e.both(t, func(i int) error {
			if i == 1 {
				if op == ibv.OpSend {
					return e.rails[1].Sink(200)
				}
				return nil
			}
			if err := e.goStream(100); err != nil {
				return err
			}
			return e.rails[0].Stream(&e.perf[0], 100)
		})
	}
}
