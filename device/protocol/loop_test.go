package protocol

import (
	"testing"

	"gobench/device"
)

// loopWire is a wire whose loops advance by one half or round in each call, and which counts how
// often others are served in between.
type loopWire struct {
	*boardWire
	loop          *Loop
	calls         int
	polls, serves int
	idles         int
}

func (w *loopWire) Native() bool                         { return true }
func (w *loopWire) Offers(device.LinkOperation) error    { return nil }
func (w *loopWire) Begin(_ int, l *Loop)                 { w.loop = l }
func (w *loopWire) Idle(Sink)                            { w.idles++ }
func (w *loopWire) Pop(int)                              {}
func (w *loopWire) Peek(int, int) (Header, []byte, bool) { return Header{}, nil, false }

func (w *loopWire) Continue() (advanced, done bool) {
	w.calls++
	if w.loop.Kind == LoopSend && !w.loop.Sending {
		w.loop.Heard = 0
	}
	w.loop.Left--
	w.loop.Sending = !w.loop.Sending
	return true, w.loop.Left == 0
}

func (w *loopWire) Poll(from int, sink Sink) bool {
	w.polls++
	return w.boardWire.Poll(from, sink)
}

func (w *loopWire) Serve(int, Sink) bool {
	w.serves++
	return false
}

func newLoopChannel(t *testing.T) (*loopWire, device.Linker) {
	t.Helper()
	opts, err := device.ParseOptions(Options(), map[string]string{"wait": "spin"})
	if err != nil {
		t.Fatal(err)
	}
	w := &loopWire{boardWire: &boardWire{board: newBoard(3, 8)}}
	raw, err := NewRaw(w, Config{Transport: "board", Size: 3, LocalSize: 1, Options: opts})
	if err != nil {
		t.Fatal(err)
	}
	return w, Linking(raw, w).(device.Linker)
}

// Other peers and the search for dead ones get their turn whenever a loop of the wire returns.
func TestLoopsServeOthers(t *testing.T) {
	w, d := newLoopChannel(t)
	const rounds = 20
	if err := d.PingPong(make([]byte, 8), make([]byte, 8), 1, rounds, true, nil); err != nil {
		t.Fatal(err)
	}
	if w.calls != 2*rounds || w.serves < w.calls || w.idles == 0 {
		t.Errorf("messages: %d calls of the loop, %d of Serve, %d of Idle", w.calls, w.serves, w.idles)
	}
	w, d = newLoopChannel(t)
	var key [8 * 5]byte
	key[0] = 64
	w.queues[0][1] = []boardPacket{{header(kindEager, 0, 0, 0, uint64(len(key))), key[:]}}
	l, err := d.Link(1, make([]byte, 64), make([]byte, 64))
	if err != nil {
		t.Fatal(err)
	}
	before := w.polls
	if err := l.Put(rounds, 1, nil); err != nil {
		t.Fatal(err)
	}
	if w.calls != rounds || w.polls-before < rounds-1 || w.idles == 0 {
		t.Errorf("puts: %d calls of the loop, %d of Poll, %d of Idle", w.calls, w.polls-before, w.idles)
	}
}
