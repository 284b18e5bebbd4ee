package comm

import (
	"fmt"
	"math"
	"slices"
	"unsafe"

	"gobench/comm/op"
)

// A Window gives the ranks of a communicator access to memory of each other, as MPI-3 does
// (one-sided communication). Each rank contributes elements of one type; offsets count them.
//
// Operations on a target start immediately and are complete, here and at the target, after the next
// Fence, Complete, Flush or Unlock for it. Until then data must not be written and results must not
// be read. They are allowed after a Fence, after Start for its targets, and after Lock or LockAll;
// the window does not check that. Accumulations are atomic for each element, and those of one rank
// to one target happen in order. Other accesses to the same place, unless something from the list
// above separates them, have undefined results.
//
// A rank reaches the memory of AllocWindow directly where the device can map it (device.Sharer):
// loads, stores and locks then need nothing of the target. Where the network accesses memory
// (device.RegionAllocator), so are puts and gets done. All else is messages that the target serves
// in its calls of this package, or in its progress thread: a target that only computes delays them.
//
// The first error, such as the *device.PeerError of a dead rank, breaks the window on all ranks; a
// rank that waits for a lock gets it, too. One that waits in Fence or Close may get it only when
// the rank with the error has closed its device. As after an error of a collective operation, the
// communicator cannot be used then. Windows belong to the goroutine that owns the device.
type Window[T op.Number] struct{ window }

// NewWindow creates a window, collectively; mem is this rank's part, which may be empty.
func NewWindow[T op.Number](c *Comm, mem []T) (*Window[T], error) {
	return openWindow[T](c, raw(mem), -1)
}

// AllocWindow creates a window with n zero elements of this rank, collectively. The memory is the
// device's and valid until Close.
func AllocWindow[T op.Number](c *Comm, n int) (*Window[T], error) {
	if limit := (math.MaxInt - controlBytes) / size[T](); n < 0 || n > limit {
		return nil, &ArgumentError{"window", "the number of elements", n, fmt.Sprintf("from 0 to %d", limit)}
	}
	return openWindow[T](c, nil, n*size[T]())
}

func openWindow[T op.Number](c *Comm, mem []byte, allocate int) (*Window[T], error) {
	w := &Window[T]{window{c: c, elem: size[T](), operators: op.Accumulators[T], mem: mem}}
	if err := w.open(allocate); err != nil {
		return nil, err
	}
	return w, nil
}

// Local returns the part of this rank.
func (w *Window[T]) Local() []T { return typed[T](w.mem) }

// Shared returns the part of any rank for direct loads and stores, nil if this rank cannot map it.
func (w *Window[T]) Shared(rank int) []T {
	if uint(rank) >= uint(len(w.ranks)) {
		return nil
	}
	return typed[T](w.ranks[rank].mem)
}

// typed returns bytes as elements.
func typed[T Type](mem []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(mem))), len(mem)/size[T]())
}

// Put copies data to the part of target, from offset on.
func (w *Window[T]) Put(data []T, target, offset int) error {
	return w.put(raw(data), target, w.inBytes(offset))
}

// Get copies from the part of target into data.
func (w *Window[T]) Get(data []T, target, offset int) error {
	return w.get(raw(data), target, w.inBytes(offset))
}

// Accumulate combines data with the part of target, element by element: target OP data replaces
// target. The operator is a predefined one, op.Replace or op.NoOp.
func (w *Window[T]) Accumulate(data []T, o *op.Op, target, offset int) error {
	return w.accumulate(kindAccumulate, raw(data), nil, o, target, w.inBytes(offset))
}

// GetAccumulate is Accumulate and stores what was there before in result, which is as long as data.
// With one element it is MPI_Fetch_and_op.
func (w *Window[T]) GetAccumulate(data, result []T, o *op.Op, target, offset int) error {
	if len(data) != len(result) {
		return &ArgumentError{"get_accumulate", "the length of result", len(result), "the length of data"}
	}
	return w.accumulate(kindGetAccumulate, raw(data), raw(result), o, target, w.inBytes(offset))
}

// CompareAndSwap stores the element at offset in result and, if its bytes equal those of compare,
// replaces it by swap.
func (w *Window[T]) CompareAndSwap(compare, swap T, result *T, target, offset int) error {
	pair := w.pair[:2*w.elem]
	copy(pair, raw(unsafe.Slice(&compare, 1)))
	copy(pair[w.elem:], raw(unsafe.Slice(&swap, 1)))
	return w.swap(pair, raw(unsafe.Slice(result, 1)), target, w.inBytes(offset))
}

// Fence completes all operations on the window, collectively. Operations before and after it are
// separate epochs.
func (w *Window[T]) Fence() error {
	return w.fence()
}

// Close ends the window, collectively, after a Fence. After an error of the window it waits for no
// other rank. Comm.Close closes windows that are open.
func (w *Window[T]) Close() error { return w.close() }

// Post begins an epoch in which the ranks in origins may access this rank's part, until Wait.
func (w *Window[T]) Post(origins ...int) error {
	if err := w.checkRanks("post", origins); err != nil {
		return err
	}
	w.exposed = append(w.exposed[:0], origins...)
	return w.tell(kindPost, origins)
}

// Start begins an epoch in which this rank accesses the parts of targets, until Complete. It waits
// for their Post.
func (w *Window[T]) Start(targets ...int) error {
	if err := w.checkRanks("start", targets); err != nil {
		return err
	}
	w.started = append(w.started[:0], targets...)
	w.c.engine.Until(w.until.posted)
	return w.err
}

// Complete ends the epoch of Start.
func (w *Window[T]) Complete() error {
	for _, target := range w.started {
		w.land(target)
	}
	if err := w.tell(kindComplete, w.started); err != nil {
		return err
	}
	return w.settle()
}

// Wait ends the epoch of Post: it waits for the Complete of all origins.
func (w *Window[T]) Wait() error {
	w.c.engine.Until(w.until.completed)
	return w.err
}

// Lock begins an epoch in which this rank accesses the part of target. It excludes other ranks with
// a lock, or if shared only those with an exclusive one. Ranks get the lock in the order in which
// they ask.
func (w *Window[T]) Lock(target int, shared bool) error {
	if err := w.checkRanks("lock", []int{target}); err != nil {
		return err
	}
	return w.lock(shared, target, target+1)
}

// LockAll is a shared Lock of all ranks.
func (w *Window[T]) LockAll() error { return w.lock(true, 0, len(w.ranks)) }

// Unlock completes the operations on target and ends the epoch of Lock.
func (w *Window[T]) Unlock(target int) error {
	if err := w.checkRanks("unlock", []int{target}); err != nil {
		return err
	}
	return w.unlock(target, target+1)
}

// UnlockAll ends the epoch of LockAll.
func (w *Window[T]) UnlockAll() error { return w.unlock(0, len(w.ranks)) }

// Flush completes the operations on target within the epoch of a lock.
func (w *Window[T]) Flush(target int) error {
	if err := w.checkRanks("flush", []int{target}); err != nil {
		return err
	}
	return w.flush(target, target+1)
}

// FlushAll is Flush for all ranks.
func (w *Window[T]) FlushAll() error { return w.flush(0, len(w.ranks)) }

// inBytes returns an offset in bytes. One that is beyond all memory remains beyond all.
func (w *window) inBytes(offset int) int {
	return max(min(offset, math.MaxInt/w.elem), math.MinInt/w.elem) * w.elem
}

// checkRanks returns an error if the window is broken or closed, or has no such ranks.
func (w *window) checkRanks(op string, ranks []int) error {
	if i := slices.IndexFunc(ranks, func(r int) bool { return uint(r) >= uint(len(w.ranks)) }); i >= 0 && w.err == nil {
		return &ArgumentError{op, "the rank", ranks[i], w.c.ranks()}
	}
	return w.err
}
