package protocol

import (
	"encoding/binary"
	"fmt"
	"time"

	"gobench/device"
)

// Mover is the optional ability of an RMA wire to measure puts and gets as such, for a Raw channel. It has one Move at a
// time. The last byte of its puts must be the last to be written.
type Mover interface {
	RMA
	// Begin takes a move on.
	Begin(peer int, m Move)
	// Continue goes on with it until it is done, or something else happens, which the next Poll delivers, or nothing
	// does for a while. If the peer fails, it is never done.
	Continue() (done bool)
}

// Move is so many rounds of puts, of gets or of puts there and back.
type Move struct {
	Kind    MoveKind
	Rounds  int
	Each    int // puts or gets of a round
	Out, In []byte
	Mine    Key            // of Out
	Theirs  Key            // of the peer's In
	Number  uint64         // of MovePong: the last byte of the first round's put
	First   bool           // of MovePong: this rank begins
	Stamps  *device.Stamps // counts the rounds; may be nil
}

// MoveKind is what a Move does.
type MoveKind uint8

// The kinds of a Move.
const (
	MovePut MoveKind = iota
	MoveGet
	MovePong
)

// linker makes a Raw channel whose wire is a Mover a device.Linker.
type linker struct {
	raw   *Raw
	mover Mover
}

// RawLinker is a Raw channel that is a device.Linker.
type RawLinker struct {
	*Raw
	linker
}

// RawLoopLinker is a RawLoop that is one.
type RawLoopLinker struct {
	RawLoop
	linker
}

var (
	_ device.Linker = RawLinker{}
	_ device.Linker = RawLoopLinker{}
)

// Linking returns the channel of a wire that is a Mover and maybe a Looper, in place of the Raw one.
func Linking(d *Raw, m Mover) device.Channel {
	if l, ok := m.(Looper); ok && l.Loops() {
		return RawLoopLinker{Looping(d, l), linker{d, m}}
	}
	return RawLinker{d, linker{d, m}}
}

// link is a device.Link.
type link struct {
	linker
	peer        int
	out, in     []byte
	mine, shown Key
	theirs      Key
	rounds      uint64 // of PutPong so far
}

// Mover is the wire below.
func (l linker) Mover() Mover { return l.mover }

const linkTag = 0

// Link implements device.Linker: the keys go as messages.
func (l linker) Link(peer int, out, in []byte) (device.Link, error) {
	d := l.raw
	if err := d.checkDestination(peer, linkTag); err != nil {
		return nil, err
	}
	if peer == d.rank || len(out) == 0 || len(out) != len(in) {
		return nil, &device.ArgumentError{Name: "link", Value: peer, Want: "another rank, and buffers of one length, not empty"}
	}
	if most := d.wire.Limits().Move; most > 0 && len(out) > most {
		return nil, &device.ArgumentError{Name: "length of the buffers to link", Value: len(out), Want: fmt.Sprintf("at most %d bytes, which is the longest put or get of the wire", most)}
	}
	k := &link{linker: l, peer: peer, out: out, in: in}
	var failed error
	if k.mine, failed = l.mover.Register(out); failed == nil {
		if k.shown, failed = l.mover.Register(in); failed != nil {
			l.mover.Deregister(k.mine)
		}
	}
	// A rank that cannot register says so: the other waits for its key.
	var told, heard [8 * (len(Key{}) + 1)]byte
	if failed == nil {
		binary.LittleEndian.PutUint64(told[:], uint64(len(in)))
	}
	for i, word := range k.shown {
		binary.LittleEndian.PutUint64(told[8*(i+1):], word)
	}
	q, err := d.Isend(told[:], peer, linkTag, 0)
	if err == nil {
		if _, err = d.Recv(heard[:], peer, linkTag, 0); err == nil {
			_, err = d.Wait(q)
		}
	}
	if size := binary.LittleEndian.Uint64(heard[:]); failed == nil && err == nil && size != uint64(len(out)) {
		err = fmt.Errorf("linking memory with rank %d: it has %d bytes for %d", peer, size, len(out))
	}
	if failed != nil {
		return nil, fmt.Errorf("linking memory with rank %d: %w", peer, failed)
	}
	if err != nil {
		k.Close()
		return nil, err
	}
	for i := range k.theirs {
		k.theirs[i] = binary.LittleEndian.Uint64(heard[8*(i+1):])
	}
	return k, nil
}

func (k *link) Put(rounds, each int, stamps *device.Stamps) error {
	return k.run(Move{Kind: MovePut, Rounds: rounds, Each: each, Stamps: stamps})
}

func (k *link) Get(rounds, each int, stamps *device.Stamps) error {
	return k.run(Move{Kind: MoveGet, Rounds: rounds, Each: each, Stamps: stamps})
}

func (k *link) PutPong(rounds int, first bool, stamps *device.Stamps) error {
	m := Move{Kind: MovePong, Rounds: rounds, Each: 1, Number: k.rounds + 1, First: first, Stamps: stamps}
	k.rounds += uint64(rounds)
	return k.run(m)
}

func (k *link) run(m Move) error {
	d := k.raw
	if d.closed {
		return device.ErrClosed
	}
	m.Out, m.In, m.Mine, m.Theirs = k.out, k.in, k.mine, k.theirs
	p := &d.peers[k.peer]
	k.mover.Begin(k.peer, m)
	for w := (device.WaitState{}); !k.mover.Continue(); {
		if p.err != nil {
			return p.err
		}
		// Continue has looked for long already: thousands of them without success would put off the time when a dead peer is noticed.
		d.alive(time.Now())
		d.step(&w, k.peer)
	}
	return nil
}

// Close implements device.Link.
func (k *link) Close() {
	if k.raw.closed {
		return
	}
	k.mover.Deregister(k.mine)
	k.mover.Deregister(k.shown)
}
