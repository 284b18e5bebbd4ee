package smem

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"gobench/device"
	"gobench/device/protocol"
)

// Values of the option cma.
const (
	cmaAuto = "auto"
	cmaOn   = "on"
	cmaOff  = "off"
)

// hub gives the ranks of one process access to each other's segments. Rank 0 allocates it and sends its
// address. That is safe because rank 0's wire refers to it until all ranks have passed the last
// exchange: it is on the heap, whose memory does not move, and it is not collected.
type hub struct {
	segments []segment
}

// openWire connects all ranks of a job. It is collective: either all ranks get a wire or all get an
// error.
func openWire(ctx context.Context, job device.Job, ring int, cma string) (*wire, error) {
	rank, size := job.Rank(), job.Size()
	w := &wire{
		peers:  make([]peer, size),
		rank:   rank,
		layout: newLayout(size, ring),
		nonce:  rand.Uint64() | 1,
		watch:  newWatch(size),
		jobs:   make(jobs, 0, 64),
		fd:     -1,
	}
	own, err := newEndpoint(w.layout)
	if err == nil {
		err = checkRoom(size * w.layout.size())
	}
	if err != nil {
		own.Error = err.Error()
	}
	w.meeting = &hub{segments: make([]segment, size)}
	own.Hub = uint64(uintptr(unsafe.Pointer(w.meeting)))
	own.Crowded = size > runtime.NumCPU()
	// The others know the hub by a number only, which keeps nothing alive: if this rank fails before
	// they have read it, it must still exist.
	meeting := w.meeting
	time.AfterFunc(time.Minute, func() { runtime.KeepAlive(meeting) })
	endpoints, err := exchangeEndpoints(ctx, job, own)
	if err != nil {
		return nil, err
	}
	if err := checkCompatible(endpoints, rank); err != nil {
		return nil, err
	}
	if together(endpoints) {
		address := endpoints[0].Hub
		err = w.openTogether(ctx, job, own, *(**hub)(unsafe.Pointer(&address)))
	} else {
		err = w.openApart(ctx, job, own, cma)
	}
	w.meeting = nil
	if err != nil {
		return nil, errors.Join(err, w.free())
	}
	w.others = make([]int, 0, size)
	for i := 1; i < size; i++ {
		// Every rank starts with another peer, so that not all poll rank 0 first.
		w.others = append(w.others, (rank+i)%size)
	}
	w.peers[rank].in = newEmptyConsumer()
	w.peers[rank].dead, w.peers[rank].holding = true, 1
	w.limits = w.newLimits()
	crowded := slices.ContainsFunc(endpoints, func(c endpoint) bool { return c.Crowded })
	if err := w.survey(ctx, crowded); err != nil {
		w.own.close() // so that no peer waits for this rank
		return nil, errors.Join(err, w.free())
	}
	return w, nil
}

// together reports whether all ranks are goroutines of one process.
func together(endpoints []endpoint) bool {
	for _, c := range endpoints {
		if c.PID != endpoints[0].PID {
			return false
		}
	}
	return len(endpoints) > 1
}

// openTogether connects goroutines of one process over heap memory.
func (w *wire) openTogether(ctx context.Context, job device.Job, own endpoint, meeting *hub) error {
	w.reach = reachDirect
	mem, err := heapMemory(w.layout.size())
	if err != nil {
		own.Error = err.Error()
	} else {
		w.own = segment{mem: mem, layout: w.layout}
		w.own.stamp(w.nonce)
		meeting.segments[w.rank] = w.own
	}
	if _, err := exchangeEndpoints(ctx, job, own); err != nil {
		return err
	}
	for rank := range w.peers {
		if rank != w.rank {
			w.connect(rank, meeting.segments[rank])
			w.peers[rank].endpoint = own
		}
	}
	_, err = exchangeEndpoints(ctx, job, own)
	return err
}

// openApart connects processes over a memfd each.
func (w *wire) openApart(ctx context.Context, job device.Job, own endpoint, cma string) error {
	if cma != cmaOff {
		admitSiblings()
	}
	fd, mem, err := createShared(fmt.Sprintf("rank%d", w.rank), w.layout.size())
	if err != nil {
		own.Error = err.Error()
	} else {
		w.fd = fd
		w.own = segment{mem: mem, layout: w.layout}
		w.own.stamp(w.nonce)
		own.FD, own.Nonce, own.Address = fd, w.nonce, uint64(address(mem))
	}
	endpoints, err := exchangeEndpoints(ctx, job, own)
	if err != nil {
		return err
	}
	if err := w.attach(endpoints); err != nil {
		own.Error = err.Error()
	} else if own.CMA = w.tryCMA(cma); own.CMA != "" && cma == cmaOn {
		own.Error = own.CMA + "; use cma=auto to do without"
	}
	if endpoints, err = exchangeEndpoints(ctx, job, own); err != nil {
		return err
	}
	// All ranks do the same, because both sides of a transfer must agree.
	w.reach = reachCMA
	for rank, c := range endpoints {
		if c.CMA != "" {
			w.reach = reachNone
			w.refusal = fmt.Sprintf("rank %d: %s", rank, c.CMA)
			break
		}
	}
	// All peers have mapped it.
	w.fd = -1
	return unix.Close(fd)
}

// attach maps the segments of all peers.
func (w *wire) attach(endpoints []endpoint) error {
	for rank, c := range endpoints {
		if rank == w.rank {
			continue
		}
		if c.PID != endpoints[w.rank].PID {
			if err := w.watch.add(rank, c.PID); err != nil {
				return err
			}
		}
		mem, err := openShared(c.PID, c.FD)
		if err != nil {
			return fmt.Errorf("the segment of rank %d cannot be opened: %w", rank, err)
		}
		s := segment{mem: mem, layout: w.layout}
		w.peers[rank].segment = s
		w.peers[rank].endpoint = c
		if err := s.check(c.Nonce); err != nil {
			return fmt.Errorf("rank %d: %w", rank, err)
		}
		w.connect(rank, s)
	}
	return nil
}

// connect sets up both rings of a pair.
func (w *wire) connect(rank int, s segment) {
	p := &w.peers[rank]
	p.segment = s
	p.out = s.producer(rank, w.rank)
	p.in = w.own.consumer(w.rank, rank)
}

// tryCMA returns the reason why cross memory attach cannot be used, "" if it can.
func (w *wire) tryCMA(cma string) string {
	if cma == cmaOff {
		return "switched off by option"
	}
	for rank := range w.peers {
		if rank == w.rank {
			continue
		}
		if err := probeCMA(&w.peers[rank]); err != nil {
			return err.Error()
		}
	}
	return ""
}

// free unmaps everything.
func (w *wire) free() error {
	var errs []error
	for _, r := range w.regions {
		errs = append(errs, w.release(r))
	}
	w.regions = nil
	w.watch.close()
	if w.reach == reachDirect {
		return errors.Join(errs...)
	}
	for i := range w.peers {
		w.peers[i].mapped.close()
		if mem := w.peers[i].segment.mem; mem != nil {
			errs = append(errs, unix.Munmap(mem))
		}
	}
	if w.own.mem != nil {
		errs = append(errs, unix.Munmap(w.own.mem))
	}
	if w.fd >= 0 {
		errs = append(errs, unix.Close(w.fd))
	}
	return errors.Join(errs...)
}

// newLimits returns the limits of the wire after it has connected.
func (w *wire) newLimits() protocol.Limits {
	l := protocol.Limits{
		Quick:         true,
		Packet:        w.layout.packet(),
		Fragment:      min(w.layout.packet(), fragment),
		EagerLimit:    eagerLimit,
		MemoryPerPair: w.layout.perPair(),
		Methods:       []protocol.Method{protocol.Get, protocol.Put, protocol.Split},
		Copy:          "direct", // without cross memory attach, memory from Alloc is still copied so
		Goroutines:    w.reach == reachDirect,
	}
	if w.reach == reachCMA {
		l.Copy = "cma"
	}
	return l
}
