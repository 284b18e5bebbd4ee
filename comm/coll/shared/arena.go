package shared

import (
	"math"
	"sync/atomic"

	"gobench/device"
	"gobench/internal/release"
)

// Arena is the memory that the ranks of one communicator share, as one rank sees
// it. It belongs to the goroutine that owns the device.
type Arena struct {
	dev     device.Device
	sharer  device.Sharer
	context int32
	world   []int // ranks of the device
	rank    int
	ranks   int
	memory  []byte // of all boards; the leader's to free

	boards []board
	past   []uint64       // how far each rank is known to be
	step   uint64         // the one under way
	looks  int            // in vain, before the device is asked
	piece  int            // bytes
	turn   int            // the piece of store to be used next
	used   [pieces]uint64 // the step in which each piece was used
	parts  [][]byte       // for reductions
	spare  []byte         // for operations in place

	waiting device.Waiting // of the one wait that goes on
}

// UnavailableError says why ranks cannot share memory. All ranks get it or none.
type UnavailableError struct{ Why string }

func (e *UnavailableError) Error() string { return "the ranks share no memory: " + e.Why }

// Sizes of the store. What all boards together have is bounded, so that many
// ranks make do with smaller pieces.
const (
	mostPiece  = 64 << 10
	leastPiece = 4 << 10
	mostMemory = 16 << 20
)

// pieceFor is the size of a piece of store for a number of ranks.
func pieceFor(ranks int) int {
	piece := mostPiece
	for piece > leastPiece && piece*pieces*ranks > mostMemory {
		piece /= 2
	}
	return piece
}

// Tags of what is said while an arena is opened. Operations use lower ones.
const openTag = math.MaxInt32

// Open makes the arena of a communicator whose messages travel in context. world are
// the ranks of the device, nil where they are the same. It is collective. Either
// all ranks get an arena or all get an *UnavailableError, unless one dies.
func Open(dev device.Device, context int32, world []int, rank, ranks int) (*Arena, error) {
	sharer, ok := dev.(device.Sharer)
	if !ok {
		return nil, &UnavailableError{"the transport has none"}
	}
	a := &Arena{dev: dev, sharer: sharer, context: context, world: world, rank: rank, ranks: ranks, piece: pieceFor(ranks), looks: looksFor(dev)}
	size := (control + pieces*a.piece) * ranks
	mem, why, err := a.meet(size)
	if err != nil {
		return nil, err
	}
	if why != "" {
		return nil, &UnavailableError{why}
	}
	a.step = 1
	a.past = make([]uint64, ranks)
	a.boards = make([]board, ranks)
	a.parts = make([][]byte, ranks)
	for r := range a.boards {
		a.boards[r] = newBoard(mem[r*size/ranks : (r+1)*size/ranks])
	}
	for i := range a.boards[rank].store { // touched first by its owner
		a.boards[rank].store[i] = 0
	}
	return a, nil
}

// looksFor is how often a rank looks for a note before it asks the device, which
// moves messages on and gives the processor up: not often where ranks wait for
// each other's processors.
func looksFor(dev device.Device) int {
	if c, ok := dev.(interface{ Crowded() bool }); ok && c.Crowded() {
		return 4
	}
	return 400
}

// Close gives the memory back, collectively: the leader waits until all others are done with
// it.
func (a *Arena) Close() error {
	if a.rank != 0 {
		return a.dev.Send(nil, a.on(0), openTag, a.context)
	}
	for r := 1; r < a.ranks; r++ {
		if _, err := a.dev.Recv(nil, a.on(r), openTag, a.context); err != nil {
			return err // the memory goes with the device
		}
	}
	return a.dev.Free(a.memory)
}

// note is this rank's note of the step under way, free to be filled in.
func (a *Arena) note() (*note, error) {
	if a.step > notes {
		if err := a.passed(a.step - notes); err != nil {
			return nil, err
		}
	}
	return &a.boards[a.rank].notes[a.step%notes], nil
}

// room is a piece of this rank's store, free to be filled, and where it lies. Others
// read it until the given step.
func (a *Arena) room(until uint64) ([]byte, uint64, error) {
	i := a.turn
	if err := a.passed(a.used[i]); err != nil {
		return nil, 0, err
	}
	a.turn = (i + 1) % pieces
	a.used[i] = until
	at := i * a.piece
	return a.boards[a.rank].store[at : at+a.piece : at+a.piece], uint64(at), nil
}

// passed returns when all ranks are past a step.
func (a *Arena) passed(step uint64) error {
	for r, known := range a.past {
		if known >= step || r == a.rank {
			continue
		}
		line := a.boards[r].past
		for looks := 0; ; looks++ {
			if a.past[r] = atomic.LoadUint64(line); a.past[r] >= step {
				break
			}
			if looks >= a.looks {
				if err := a.wait(r, func() bool { return atomic.LoadUint64(line) >= step }); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// from returns the note of a rank in the step under way, when it is there.
func (a *Arena) from(r int) (*note, error) {
	n := &a.boards[r].notes[a.step%notes]
	for range a.looks {
		if atomic.LoadUint64(&n.step) == a.step {
			return n, nil
		}
	}
	return a.fromLater(r, n)
}

func (a *Arena) fromLater(r int, n *note) (*note, error) {
	w := &a.waiting // in a variable it would be on the heap
	*w = device.Waiting{}
	for {
		err := a.sharer.Vain(w, a.context, a.on(r))
		for range a.looks {
			if atomic.LoadUint64(&n.step) == a.step {
				return n, nil
			}
		}
		if err != nil {
			return nil, err
		}
	}
}

// wait asks the device until there is what rank r owes.
func (a *Arena) wait(r int, there func() bool) error {
	w := &a.waiting // in a variable it would be on the heap
	*w = device.Waiting{}
	for {
		err := a.sharer.Vain(w, a.context, a.on(r))
		if there() {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// on is the rank of the device.
func (a *Arena) on(r int) int {
	if a.world == nil {
		return r
	}
	return a.world[r]
}

// next ends the step: this rank has read all that it needs of it.
func (a *Arena) next() {
	release.Store(a.boards[a.rank].past, a.step)
	a.step++
}

// data is the longer data of a note.
func (a *Arena) data(r int, n *note, bytes int) []byte {
	return a.boards[r].store[n.at : n.at+uint64(bytes)]
}
