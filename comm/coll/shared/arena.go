package shared

import (
	"math"
	"sync/atomic"
	"unsafe"

	"gobench/device"
	"gobench/internal/release"
)

// Arena is the memory that the ranks of one communicator share, as one rank sees
// it. It belongs to the goroutine that owns the device.
type Arena struct {
	waiting device.WaitState // of the call under way
	dev     device.Device
	sharer  device.Sharer
	context int32
	world   []int // ranks of the device
	rank    int
	ranks   int
	memory  []byte // of all boards; the leader's to free

	boards []board
	past   []uint64 // how far each rank is known to be
	step   uint64   // the one under way
	kind   word     // of the operation under way
	lag    uint64   // what is posted in a step is read so many steps later: 0 or 1
	looks  int      // unsuccessful polls before the device is called
	short  ring     // this rank's store for data that fits there
	long   ring     // and for longer data
	failed error    // of an operation: then the arena is of no more use
	parts  [][]byte // for reductions
	spare  []byte   // for operations in place
}

// UnavailableError says why ranks cannot share memory. All ranks get it or none.
type UnavailableError struct{ Why string }

func (e *UnavailableError) Error() string { return "the ranks share no memory: " + e.Why }

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
	a := &Arena{dev: dev, sharer: sharer, context: context, world: world, rank: rank, ranks: ranks, looks: looksFor(dev)}
	a.short, a.long = rings(ranks)
	size := (control + a.short.bytes() + a.long.bytes()) * ranks
	mem, why, err := a.meet(size)
	if err != nil {
		return nil, err
	}
	if why != "" {
		if a.memory != nil { // nobody uses it
			if err := dev.Free(a.memory); err != nil {
				return nil, err
			}
		}
		return nil, &UnavailableError{why}
	}
	a.step = 1
	a.past = make([]uint64, ranks)
	a.boards = make([]board, ranks)
	a.parts = make([][]byte, ranks)
	for r := range a.boards {
		a.boards[r] = newBoard(mem[r*size/ranks : (r+1)*size/ranks])
	}
	// Mapped now, so that no call meets the page faults. Where ranks are processes the pages themselves exist
	// already, on the node of the rank that allocated the arena: shared memory is reserved at once, lest a lack
	// of it be a SIGBUS later. Where they are goroutines this is the first touch, by the owner.
	for i := range a.boards[rank].store {
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
		// A note may still be read in the step after its own.
		if err := a.passed(a.step - notes + 1); err != nil {
			return nil, err
		}
	}
	return &a.boards[a.rank].notes[a.step%notes], nil
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

// expect asks for the notes of all others that are to be read in this step, so that they come at
// the same time.
func (a *Arena) expect() {
	for r := range a.boards {
		if r != a.rank {
			release.Fetch(unsafe.Pointer(&a.boards[r].notes[(a.step-a.lag)%notes]))
		}
	}
}

// from returns the note of a rank that is to be read in this step, when it is there.
func (a *Arena) from(r int) (*note, error) {
	step := a.step - a.lag
	n := &a.boards[r].notes[step%notes]
	for range a.looks {
		if atomic.LoadUint64(&n.step) == step {
			return n, nil
		}
	}
	return a.fromLater(r, n, step)
}

func (a *Arena) fromLater(r int, n *note, step uint64) (*note, error) {
	w := a.waits()
	for {
		err := a.sharer.Progress(w, a.context, a.on(r))
		for range a.looks {
			if atomic.LoadUint64(&n.step) == step {
				return n, nil
			}
		}
		if err != nil {
			return nil, err
		}
	}
}

// waits begins a wait. Its state is kept here, because what is handed to a device escapes
// to the heap.
func (a *Arena) waits() *device.WaitState {
	a.waiting = device.WaitState{}
	return &a.waiting
}

// wait asks the device until there is what rank r owes.
func (a *Arena) wait(r int, there func() bool) error {
	w := a.waits()
	for {
		err := a.sharer.Progress(w, a.context, a.on(r))
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

// data is what a rank says it has posted, which must be so many bytes.
func (a *Arena) data(r int, w word, bytes int) ([]byte, error) {
	if err := a.check(r, w, bytes); err != nil {
		return nil, err
	}
	store := a.boards[r].store
	if w.at() > len(store)-bytes {
		return nil, &device.ProtocolError{Rank: a.on(r), Detail: "it has posted data outside of its shared memory"}
	}
	return store[w.at() : w.at()+bytes], nil
}
