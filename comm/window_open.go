package comm

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"unsafe"

	"gobench/comm/op"
	"gobench/device"
)

// A window is a Window without its element type.
type window struct {
	c         *Comm
	world     []int // of c
	context   int32 // of requests; data and results have the one after it
	elem      int   // bytes of an element
	operators func() [12]*op.Op
	sharer    device.Sharer // nil if memory is not shared
	region    device.Region // nil if the network accesses no memory
	allocated []byte        // of the device: control and mem; nil if mem is the caller's or the region's
	mem       []byte        // of this rank
	own       *control      // of this rank's part
	ranks     []part
	err       error    // the first error, of which this rank's calls know
	pair      [32]byte // of a swap

	// Of this rank's operations; what the service changes, too, is read with the engine locked.
	failed   error // the first error
	awaited  int   // answers
	started  []int
	exposed  []int
	asked    *control // that this rank waits for
	ticket   uint64
	sharing  bool
	until    struct{ settled, posted, completed, admitted, seized func() bool }
	sends    flights
	results  flights
	pool     pool
	replies  flights // of the service, as all below
	arrivals flights
	queue    []waiter
	inbox    device.Request
	losses   []device.Request // receives from the other ranks that end with an error
	idle     int              // calls of watch
	message  device.Status    // that is being handled; Size is -1 if there is none
	buffer   []byte
}

// A part is another rank's part of the window, and what this rank knows of that rank.
type part struct {
	bytes   int
	mem     []byte   // nil if this rank cannot reach it
	control *control // nil with mem
	dirty   bool     // operations were sent since the last flush
	held    [][]byte // data of the region's operations since then
	shared  bool     // the lock is

	posts, completes int  // that have arrived and are not awaited yet
	arriving         int  // long puts
	deferred         uint // kinds of messages to be handled when they have arrived
}

// A waiter is a rank that asked for the lock of this rank's part.
type waiter struct {
	rank   int
	ticket uint64
	shared bool
}

// A control is what ranks that reach a part share beside its memory: a lock in the order of
// tickets, and another one that is held for the time of an accumulation. Its zero value is free.
type control struct {
	next, serving, readers atomic.Uint64
	accumulating           atomic.Uint64
}

// draw returns the ticket of a rank that wants the lock.
func (l *control) draw() uint64 { return l.next.Add(1) - 1 }

// admits reports whether the lock is now held by the owner of the ticket. It must not be called
// again then.
func (l *control) admits(ticket uint64, shared bool) bool {
	if l.serving.Load() != ticket {
		return false
	}
	if shared {
		l.readers.Add(1)
		l.serving.Add(1)
		return true
	}
	return l.readers.Load() == 0
}

func (l *control) release(shared bool) {
	if shared {
		l.readers.Add(^uint64(0))
	} else {
		l.serving.Add(1)
	}
}

func (l *control) seize() bool { return l.accumulating.CompareAndSwap(0, 1) }
func (l *control) leave()      { l.accumulating.Store(0) }

// controlBytes is the size of the control before shared memory: a page, so that the memory begins
// at one.
const controlBytes = 4096

// A description is what the ranks tell each other of their parts.
type description struct {
	bytes, elem uint64
	refused     uint64 // 1: the rank has no memory
	named       uint64 // bytes of name
	name        [64]byte
}

// open makes the window, collectively. It allocates that many bytes, unless that is negative.
func (w *window) open(allocate int) (err error) {
	c := w.c
	context, err := c.windowContext()
	if err != nil {
		return err
	}
	w.context, w.world, w.ranks = context, c.world, make([]part, len(c.world))
	w.own, w.buffer = new(control), make([]byte, wordBytes+max(wordBytes, longestPut))
	w.until.settled, w.until.posted, w.until.completed = w.settled, w.posted, w.completed
	w.until.admitted = func() bool { return w.stopped() || w.asked.admits(w.ticket, w.sharing) }
	w.until.seized = func() bool { return w.stopped() || w.asked.seize() }
	// From here on the death of a rank ends whatever the others wait for.
	if b, ok := c.dev.(device.Binder); ok {
		c.engine.Lock()
		err = cmp.Or(b.Bind(context, c.world), b.Bind(context+1, c.world))
		c.engine.Unlock()
		defer func() {
			if err != nil {
				c.engine.Lock()
				w.unbind()
				c.engine.Unlock()
			}
		}()
	}
	if err == nil {
		err = w.share(allocate)
	}
	if err != nil {
		return err
	}
	mine, err := w.describe(allocate)
	all := make([]description, len(c.world))
	if e := Allgather(c, bytesOf(mine), bytesOf(all)); e != nil || err != nil {
		return cmp.Or(err, e)
	}
	c.engine.Lock()
	if err = w.reach(all); err != nil { // on all ranks: none will use the memory
		w.free()
		c.engine.Unlock()
		return err
	}
	err = w.listen()
	for rank := range c.world {
		if rank != c.rank && err == nil {
			var q device.Request
			q, err = c.dev.Irecv(nil, c.world[rank], tagNever, context+1)
			w.losses = append(w.losses, q)
		}
	}
	c.engine.Unlock()
	if err == nil {
		c.engine.Begin(w)
		c.windows = append(c.windows, w)
	}
	return err
}

// share allocates a region, collectively, if all ranks can. They agree before, so that no rank
// waits for one that does not call the device, and all have called open before any waits in the
// device, where it serves no other window.
func (w *window) share(allocate int) error {
	regions, ok := w.c.dev.(device.RegionAllocator)
	all := [1]int64{0}
	if ok && allocate >= 0 && regions.Regions(w.world) {
		all[0] = 1
	}
	if err := Allreduce(w.c, nil, all[:], op.Min[int64]()); err != nil || all[0] == 0 {
		return err
	}
	w.c.engine.Lock()
	defer w.c.engine.Unlock()
	region, err := regions.AllocRegion(w.context, w.world, allocate)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	if err == nil {
		w.region, w.mem = region, region.Bytes()
	}
	return err
}

// describe allocates the memory, unless a region has, and returns its description.
func (w *window) describe(allocate int) ([]description, error) {
	d := description{elem: uint64(w.elem), refused: 1}
	if allocate >= 0 && w.region == nil {
		w.c.engine.Lock()
		defer w.c.engine.Unlock()
		mem, err := w.c.dev.Alloc(controlBytes + allocate)
		if err != nil {
			return []description{d}, err
		}
		w.allocated, w.own, w.mem = mem, (*control)(unsafe.Pointer(&mem[0])), mem[controlBytes:]
		if w.sharer, _ = w.c.dev.(device.Sharer); w.sharer != nil {
			if name, err := w.sharer.Export(mem); err == nil && len(name) <= len(d.name) {
				d.named = uint64(copy(d.name[:], name))
			}
		}
	}
	d.bytes, d.refused = uint64(len(w.mem)), 0
	return []description{d}, nil
}

// reach stores what the ranks have told, and maps the parts that can be mapped. The engine is
// locked.
func (w *window) reach(all []description) error {
	c := w.c
	for rank, d := range all {
		if d.refused != 0 {
			return &device.PeerError{Rank: c.world[rank], State: "cannot take part", Cause: "it has no memory for a window"}
		}
		if d.elem != uint64(w.elem) {
			return &ArgumentError{"window", "the size of an element on another rank", int(d.elem), fmt.Sprintf("%d, as on this rank", w.elem)}
		}
		if d.named > uint64(len(d.name)) || d.bytes > math.MaxInt-controlBytes {
			return &device.ProtocolError{Rank: c.world[rank], Detail: "it describes an impossible window"}
		}
		w.ranks[rank].bytes = int(d.bytes)
		if d.named == 0 || w.sharer == nil || rank == c.rank {
			continue
		}
		mem, err := w.sharer.Import(c.world[rank], d.name[:d.named])
		if err == nil && len(mem) == controlBytes+int(d.bytes) {
			w.ranks[rank].control, w.ranks[rank].mem = (*control)(unsafe.Pointer(&mem[0])), mem[controlBytes:]
		}
	}
	w.ranks[c.rank].mem, w.ranks[c.rank].control = w.mem, w.own
	return nil
}

// windowContext returns the contexts of a window. Windows that all ranks have closed leave theirs,
// in the same order on all.
func (c *Comm) windowContext() (context int32, err error) {
	if n := len(c.spare); n > 0 && c.world != nil {
		context, c.spare = c.spare[n-1], c.spare[:n-1]
		return context, nil
	}
	return c.agree()
}

func bytesOf(list []description) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&list[0])), len(list)*int(unsafe.Sizeof(list[0])))
}

// fence flushes all ranks and waits for all of them to do so.
func (w *window) fence() error {
	err := w.flush(0, len(w.ranks))
	if err == nil {
		err = Barrier(w.c)
	}
	w.c.engine.Lock()
	defer w.c.engine.Unlock()
	return w.fail(err)
}

// free frees the memory that the window has allocated. The engine is locked.
func (w *window) free() error {
	switch {
	case w.region != nil:
		return w.region.Close()
	case w.allocated != nil:
		return w.c.dev.Free(w.allocated)
	}
	return nil
}

// close ends the window after a fence, which is the end of all messages. No rank leaves before all
// have ended their receives, which would fail. After an error other ranks may still use the memory,
// and closing the device frees it.
func (w *window) close() error {
	if w.err == device.ErrClosed {
		return w.err
	}
	err := w.fence()
	e, dev := w.c.engine, w.c.dev
	e.End(w)
	w.c.windows = slices.DeleteFunc(w.c.windows, func(other *window) bool { return other == w })
	if err == nil {
		e.Lock()
		for _, q := range append(w.losses, w.inbox) {
			if err = cmp.Or(err, dev.Cancel(q)); err == nil {
				_, err = dev.Wait(q)
			}
		}
		e.Unlock()
		err = cmp.Or(err, Barrier(w.c))
	}
	e.Lock()
	defer e.Unlock()
	if err == nil {
		err = w.free()
	}
	w.unbind()
	if err == nil {
		w.c.spare = append(w.c.spare, w.context)
	}
	w.err, w.failed = device.ErrClosed, device.ErrClosed
	return err
}

// unbind ends what Bind has begun in open. The engine is locked.
func (w *window) unbind() {
	if b, ok := w.c.dev.(device.Binder); ok {
		b.Unbind(w.context)
		b.Unbind(w.context + 1)
	}
}
