package protocol

import (
	"testing"

	"gobench/device"
)

// board joins the wires of several ranks in one goroutine, so that a test
// decides every step: what arrives is delivered when the rank that polls is told
// to, and queues have a limit of packets.
type board struct {
	room    int // packets each queue takes
	queues  [][][]boardPacket
	memory  map[uint64][]byte // registered buffers
	next    uint64
	methods []Method
	route   func(peer, size int, t Transfer) Route // of a wire that is a Router
	pending bool                                   // Put and Get answer Pending and complete at the next poll
	stuck   bool                                   // what is pending never completes
	busy    int                                    // answers of Busy still to give
	refuse  bool                                   // Register fails
	pushed  map[kind]int
}

type boardPacket struct {
	h    Header
	data []byte
}

type boardWire struct {
	*board
	rank int
	done []uint64
}

func newBoard(ranks, room int, methods ...Method) *board {
	b := &board{room: room, memory: map[uint64][]byte{}, methods: methods, pushed: map[kind]int{}}
	for range ranks {
		b.queues = append(b.queues, make([][]boardPacket, ranks))
	}
	return b
}

func (b *board) devices(t testing.TB, set map[string]string) []*Device {
	t.Helper()
	opts, err := device.ParseOptions(Options(), set)
	if err != nil {
		t.Fatal(err)
	}
	var all []*Device
	for rank := range b.queues {
		all = append(all, b.device(t, rank, opts))
	}
	return all
}

func (b *board) device(t testing.TB, rank int, opts device.Options) *Device {
	t.Helper()
	var w Wire = &boardWire{board: b, rank: rank}
	if b.route != nil {
		w = routedWire{w.(*boardWire)}
	}
	d, err := New(w, Config{Transport: "board", Rank: rank,
		Size: len(b.queues), LocalSize: 1, Options: opts})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func (w *boardWire) Push(peer int, h Header, data []byte) bool {
	q := &w.queues[peer][w.rank]
	if len(*q) >= w.room {
		return false
	}
	w.pushed[h.kind()]++
	*q = append(*q, boardPacket{h, append([]byte(nil), data...)})
	return true
}

func (w *boardWire) Poll(from int, sink Sink) bool {
	moved := false
	var done []uint64
	if !w.stuck {
		done, w.done = w.done, nil
	}
	for _, token := range done {
		sink.Completed(token, nil)
		moved = true
	}
	for src := range w.queues[w.rank] {
		if q := &w.queues[w.rank][src]; len(*q) > 0 {
			k := (*q)[0]
			*q = (*q)[1:]
			sink.Packet(src, k.h, k.data)
			moved = true
		}
	}
	return moved
}

func (w *boardWire) Idle(Sink)    {}
func (w *boardWire) Close() error { return nil }
func (w *boardWire) Limits() Limits {
	return Limits{Packet: 256, Fragment: 256, EagerLimit: 1024, Methods: w.methods, Copy: "board"}
}

// routedWire is a boardWire that is a Router.
type routedWire struct{ *boardWire }

func (w routedWire) Route(peer, size int, t Transfer) Route { return w.route(peer, size, t) }

type refusal struct{}

func (refusal) Error() string { return "refused" }

func (w *boardWire) Register(buf []byte) (Key, error) {
	if w.refuse {
		return Key{}, refusal{}
	}
	w.next++
	w.memory[w.next] = buf
	return Key{w.next}, nil
}

func (w *boardWire) Deregister(k Key) { delete(w.memory, k[0]) }

func (w *boardWire) start(token uint64, move func()) Started {
	if w.busy > 0 {
		w.busy--
		return Busy
	}
	move()
	if w.pending {
		w.done = append(w.done, token)
		return Pending
	}
	return Done
}

func (w *boardWire) Put(_ int, dst Key, offset int, src []byte, _ Key, token uint64) Started {
	return w.start(token, func() { copy(w.memory[dst[0]][offset:], src) })
}

func (w *boardWire) Get(_ int, src Key, offset int, dst []byte, _ Key, token uint64) Started {
	return w.start(token, func() { copy(dst, w.memory[src[0]][offset:]) })
}

// settleAll lets every rank make progress until nothing has moved for longer
// than a board stays busy.
func settleAll(all []*Device) {
	for still := 0; still < 10; still++ {
		for _, d := range all {
			for d.progress(device.AnySource) {
				still = 0
			}
		}
	}
}
