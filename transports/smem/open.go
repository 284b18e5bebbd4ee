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

// hub gives the ranks of one process access to each other's segments. The lowest of them allocates it
// and sends its address. That is safe because its wire refers to it until all ranks have passed the
// last exchange: it is on the heap, whose memory does not move, and it is not collected.
type hub struct {
	segments []segment // by rank
}

// openWire connects the ranks of a job in groups: those of a group are connected by pairs, all with
// all. It is collective over the job: either all ranks get a wire or all get an error.
func openWire(ctx context.Context, job device.Job, pairs protocol.Pairs, ring int, cma string) (*wire, error) {
	rank, size := job.Rank(), job.Size()
	w := &wire{
		peers: make([]peer, size),
		rank:  rank,
		group: groupOf(rank, size, pairs),
		nonce: rand.Uint64() | 1,
		watch: newWatch(size),
		jobs:  make(jobs, 0, 64),
		fd:    -1,
		bell:  bell{out: -1, in: -1},
	}
	w.layout = newLayout(len(w.group), ring)
	for i := range w.peers {
		w.peers[i].place = -1
	}
	for place, member := range w.group {
		w.peers[member].place = place
	}
	own, err := newEndpoint(w.layout)
	if err == nil {
		err = checkRoom(len(w.group) * w.layout.size())
	}
	if err != nil {
		own.Error = err.Error()
	}
	w.meeting = &hub{segments: make([]segment, size)}
	own.Hub = uint64(uintptr(unsafe.Pointer(w.meeting)))
	own.Crowded = len(w.group) > runtime.NumCPU()
	// The others know the hub by a number only, which keeps nothing alive: if this rank fails before
	// they have read it, it must still exist.
	meeting := w.meeting
	time.AfterFunc(time.Minute, func() { runtime.KeepAlive(meeting) })
	endpoints, err := exchangeEndpoints(ctx, job, own)
	if err != nil {
		return nil, err
	}
	// Every rank checks all groups, so that none goes on without the others.
	for _, other := range append([]int{rank}, allRanks(size)...) {
		if err := checkCompatible(endpoints, groupOf(other, size, pairs), other); err != nil {
			return nil, err
		}
	}
	if together(endpoints, w.group) {
		address := endpoints[w.group[0]].Hub
		err = w.openTogether(ctx, job, own, *(**hub)(unsafe.Pointer(&address)))
	} else {
		err = w.openApart(ctx, job, own, cma, slices.ContainsFunc(w.group, func(member int) bool { return endpoints[member].Crowded }))
	}
	w.meeting = nil
	if err != nil {
		return nil, errors.Join(err, w.free())
	}
	place := w.peers[rank].place
	w.others = make([]int, 0, len(w.group))
	for i := 1; i < len(w.group); i++ {
		// Every rank starts with another peer, so that not all poll the lowest rank first.
		w.others = append(w.others, w.group[(place+i)%len(w.group)])
	}
	for i := range w.peers {
		if p := &w.peers[i]; i == rank || p.place < 0 {
			p.in = newEmptyConsumer()
			p.dead, p.holding = true, 1
		}
	}
	w.limits = w.newLimits()
	crowded := slices.ContainsFunc(w.group, func(member int) bool { return endpoints[member].Crowded })
	if err := w.survey(ctx, crowded); err != nil {
		w.own.close() // so that no peer waits for this rank
		return nil, errors.Join(err, w.free())
	}
	return w, nil
}

// groupOf returns the ranks that rank is connected with, and rank itself, in ascending order.
func groupOf(rank, size int, pairs protocol.Pairs) []int {
	return slices.DeleteFunc(allRanks(size), func(other int) bool { return other != rank && !pairs.Connect(rank, other) })
}

func allRanks(size int) []int {
	all := make([]int, size)
	for rank := range all {
		all[rank] = rank
	}
	return all
}

// together reports whether the ranks of a group are goroutines of one process.
func together(endpoints []endpoint, group []int) bool {
	for _, member := range group {
		if endpoints[member].PID != endpoints[group[0]].PID {
			return false
		}
	}
	return len(group) > 1
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
	for _, rank := range w.group {
		if rank != w.rank {
			w.connect(rank, meeting.segments[rank])
			w.peers[rank].endpoint = own
		}
	}
	_, err = exchangeEndpoints(ctx, job, own)
	return err
}

// openApart connects processes over a memfd each.
func (w *wire) openApart(ctx context.Context, job device.Job, own endpoint, cma string, crowded bool) error {
	if cma != cmaOff {
		admitSiblings()
	}
	fd, mem, err := createShared(fmt.Sprintf("rank%d", w.rank), w.layout.size())
	if err == nil && crowded {
		err = w.bell.hang(segment{mem: mem, layout: w.layout})
	}
	if err != nil {
		own.Error = err.Error()
	} else {
		w.fd = fd
		own.Bell = w.bell.in
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
	// All ranks of the group do the same, because both sides of a transfer must agree.
	w.reach = reachCMA
	for _, rank := range w.group {
		if refusal := endpoints[rank].CMA; refusal != "" {
			w.reach = reachNone
			w.refusal = fmt.Sprintf("rank %d: %s", rank, refusal)
			break
		}
	}
	// All peers have mapped it.
	w.fd = -1
	if w.bell.in >= 0 {
		unix.Close(w.bell.in)
		w.bell.in = -1
	}
	return unix.Close(fd)
}

// attach maps the segments of all peers.
func (w *wire) attach(endpoints []endpoint) error {
	for _, rank := range w.group {
		c := endpoints[rank]
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
		if p := &w.peers[rank]; w.bell.out >= 0 && p.endpoint.Bell >= 0 {
			if err := p.tie(); err != nil {
				return fmt.Errorf("rank %d: %w", rank, err)
			}
		}
	}
	return nil
}

// connect sets up both rings of a pair.
func (w *wire) connect(rank int, s segment) {
	p := &w.peers[rank]
	p.segment = s
	own := w.peers[w.rank].place
	p.out = s.producer(p.place, own)
	p.in = w.own.consumer(own, p.place)
}

// tryCMA returns the reason why cross memory attach cannot be used, "" if it can.
func (w *wire) tryCMA(cma string) string {
	if cma == cmaOff {
		return "switched off by option"
	}
	for _, rank := range w.group {
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
	w.bell.close()
	for i := range w.peers {
		if p := &w.peers[i]; p.rope.asleep != nil {
			unix.Close(p.rope.fd)
		}
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
