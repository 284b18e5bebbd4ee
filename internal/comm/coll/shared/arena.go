package shared

import (
	"math"
	"slices"
	"sync/atomic"
	"unsafe"

	"gobench/device"
	"gobench/internal/release"
)

// An Arena is the memory that the ranks of one communicator share, mapped by one of them. It
// belongs to the goroutine that owns the device.
//
// A rank goes through the steps of all operations in order. In step s (a.step) it does this:
//
//	fill      entry returns its line for s, and room returns store. Both wait until no rank reads
//	          the old content: entry until all have completed s - entries + 1, room until all have
//	          completed the last step in which the piece is read.
//	publish   the release store of s into the entry makes the line and the store visible. A rank that
//	          others do not read in s, such as a leaf of a broadcast, publishes nothing.
//	read      entryOf(r) waits for the entry of s - delay of a rank, check compares its word.
//	next      the release store of s into completed: this rank reads nothing of s - delay any more.
//
// Invariants, for any two ranks a and b and at any time:
//
//	step      a rank that publishes in step s knows that all have completed s - entries + 1, so it
//	          is ahead of the slowest by less than entries steps, or by fewer if its data fill the
//	          store; its own completed is step - 1;
//	completed[r] <= the value in r's board: what a rank remembers of others is never too new;
//	used[i]   of a ring is the last step in which its piece i is read, at most step + 1;
//	delay     is 0 between operations, and the same on all ranks in each step;
//	failed    once set, it is the result of all later operations, because the ranks' steps differ.
//
// A rank that dies never publishes: the others, which call Progress while they wait, get its
// *device.PeerError there.
type Arena struct {
	waiting device.WaitState // of the call in progress
	dev     device.Device
	sharer  device.Sharer
	context int32
	tag     int32 // tag of messages that open and close the arena: the largest one, which operations do not use
	world   []int // ranks of the device
	rank    int
	ranks   int
	memory  []byte // of all boards; the leader's to free

	boards    []board
	completed []uint64 // the last step that each rank is known to have completed; this rank's is never waited for
	step      uint64   // the current one
	free      uint64   // the first step whose entry other ranks may still read
	kind      word     // of the operation in progress
	delay     uint64   // the number of steps after which posted data is read: 0 or 1
	polls     int      // unsuccessful polls before the device is called
	short     ring     // this rank's store for data that fits there
	long      ring     // and for longer data
	failed    error    // error of an operation; the arena is unusable after it
	parts     [][]byte // for reductions
	spare     []byte   // for operations in place
}

// An UnavailableError reports that the ranks cannot share memory. Either all ranks get it or none.
type UnavailableError struct{ Why string }

func (e *UnavailableError) Error() string { return "the ranks share no memory: " + e.Why }

// Open creates the arena of a communicator whose messages use context. world maps ranks of the
// communicator to ranks of the device; nil if they are equal. Open is collective: all ranks get an
// arena or all get an *UnavailableError, unless one dies.
func Open(dev device.Device, context int32, world []int, rank, ranks int) (*Arena, error) {
	sharer, ok := dev.(device.Sharer)
	if !ok {
		return nil, &UnavailableError{"the transport has none"}
	}
	a := &Arena{dev: dev, sharer: sharer, context: context, tag: dev.Info().Tags(), world: world, rank: rank, ranks: ranks, polls: pollsFor(dev)}
	a.short, a.long = rings(ranks)
	size := (control + a.short.bytes() + a.long.bytes()) * ranks
	mem, why, err := a.meet(size)
	if err != nil {
		return nil, err
	}
	if why != "" {
		if a.memory != nil { // no rank uses it
			if err := dev.Free(a.memory); err != nil {
				return nil, err
			}
		}
		return nil, &UnavailableError{why}
	}
	a.step, a.free = 1, entries+1
	a.completed = make([]uint64, ranks)
	a.completed[rank] = math.MaxUint64 - entries
	a.boards = make([]board, ranks)
	a.parts = make([][]byte, ranks)
	for r := range a.boards {
		a.boards[r] = newBoard(mem[r*size/ranks : (r+1)*size/ranks])
	}
	// Touch the pages now, so that no operation takes page faults. If ranks are processes, the
	// pages already exist, on the NUMA node of the rank that allocated the arena: shared memory is
	// allocated in advance, because running out of it later would be a SIGBUS. If ranks are
	// goroutines, this is the first touch, by the owner.
	clear(a.boards[rank].store)
	return a, nil
}

// plainPolls is the number of polls without PAUSE that count as one.
const plainPolls = 6

// pollsFor returns the number of polls for an entry before the device is called, which progresses
// messages and may yield the processor. It is small if there are more ranks than processors.
func pollsFor(dev device.Device) int {
	if c, ok := dev.(interface{ Crowded() bool }); ok && c.Crowded() {
		return 4
	}
	return 64
}

// Close frees the memory. It is collective: rank 0 waits until all others have closed theirs. After
// an operation has failed on rank 0 the others may wait for that rank, so it waits for none and
// leaves the memory to the device, which frees it when it is closed.
func (a *Arena) Close(failed bool) error {
	switch {
	case a.rank != 0:
		return a.dev.Send(nil, a.deviceRank(0), a.tag, a.context)
	case failed:
		return nil
	}
	for r := 1; r < a.ranks; r++ {
		if _, err := a.dev.Recv(nil, a.deviceRank(r), a.tag, a.context); err != nil {
			return err // closing the device frees the memory
		}
	}
	return a.dev.Free(a.memory)
}

// entry returns this rank's entry of the current step, to be filled in. It waits until no rank
// reads the previous content.
func (a *Arena) entry() (*entry, error) {
	if a.step >= a.free {
		// An entry may still be read in the step after its own.
		if err := a.waitCompleted(a.step - entries + 1); err != nil {
			return nil, err
		}
		a.free = slices.Min(a.completed) + entries
	}
	return &a.boards[a.rank].entries[a.step%entries], nil
}

// waitCompleted returns when all ranks have completed a step.
func (a *Arena) waitCompleted(step uint64) error {
	for r, known := range a.completed {
		if known >= step {
			continue
		}
		line := a.boards[r].completed
		for polls := 0; ; polls++ {
			if a.completed[r] = atomic.LoadUint64(line); a.completed[r] >= step {
				break
			}
			if polls >= plainPolls*a.polls {
				if err := a.wait(r, func() bool { return atomic.LoadUint64(line) >= step }); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// prefetch prefetches the entries of all other ranks that are to be read in this step, so that
// their cache lines are transferred at the same time.
func (a *Arena) prefetch() {
	for r := range a.boards {
		if r != a.rank {
			release.Fetch(unsafe.Pointer(&a.boards[r].entries[(a.step-a.delay)%entries]), 1)
		}
	}
}

// entryOf waits for the entry of a rank that is to be read in this step.
func (a *Arena) entryOf(r int) (*entry, error) {
	step := a.step - a.delay
	n := &a.boards[r].entries[step%entries]
	// The first load saves the call where the entry is there.
	if atomic.LoadUint64(&n.step) == step || release.Await(&n.step, step, a.polls) {
		return n, nil
	}
	return a.waitForEntry(r, n, step)
}

// waitForEntry is the slow path of entryOf: it calls the device between polls.
func (a *Arena) waitForEntry(r int, n *entry, step uint64) (*entry, error) {
	w := a.waits()
	for {
		err := a.sharer.Progress(w, a.context, a.deviceRank(r))
		if release.Await(&n.step, step, a.polls) {
			return n, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// waits begins a wait. The state is a field of the arena, because what is passed to a device
// escapes to the heap.
func (a *Arena) waits() *device.WaitState {
	a.waiting = device.WaitState{}
	return &a.waiting
}

// wait calls the device until there reports true. It fails if rank r dies.
func (a *Arena) wait(r int, there func() bool) error {
	w := a.waits()
	for {
		err := a.sharer.Progress(w, a.context, a.deviceRank(r))
		if there() {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// deviceRank returns the device's rank of a rank of the communicator.
func (a *Arena) deviceRank(r int) int {
	if a.world == nil {
		return r
	}
	return a.world[r]
}

// next completes the step: this rank has read all that it needs of it.
func (a *Arena) next() {
	release.Store(a.boards[a.rank].completed, a.step)
	a.step++
}

// data returns the data that a rank has posted in its store according to w. It returns an error
// unless they have the given size in bytes.
func (a *Arena) data(r int, w word, bytes int) ([]byte, error) {
	if err := a.check(r, w, bytes); err != nil {
		return nil, err
	}
	store := a.boards[r].store
	if w.at() > len(store)-bytes {
		return nil, &device.ProtocolError{Rank: a.deviceRank(r), Detail: "it has posted data outside of its shared memory"}
	}
	return store[w.at() : w.at()+bytes], nil
}
