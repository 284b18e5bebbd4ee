package smem

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"gobench/device"
	"gobench/device/profile"
	"gobench/device/protocol"
	"gobench/internal/limit"
	"gobench/internal/sharedmem"
)

// Values of the option cma.
const (
	cmaAuto = "auto"
	cmaOn   = "on"
	cmaOff  = "off"
)

// hub gives the ranks of one process access to each other's segments. The lowest rank allocates it
// and sends its address. This is safe: heap memory does not move, and the wire of that rank refers
// to the hub until the last exchange is over, so it is not collected.
type hub struct {
	segments []segment // by rank
}

// openWire connects the ranks of a job in groups: those of a group are connected by pairs, all with
// all. wait is the option of package protocol. It is collective over the job: either all ranks get
// a wire or all get an error, because each of these rounds ends with an exchange of all ranks in
// which a rank that has failed says why:
//
//	1  every rank describes itself; the lowest of a group has created the file of the segments.
//	   Ranks compare host, PID namespace, version and geometry of all groups.
//	2  ranks of a group map the file and stamp their segment (openApart), or meet in the hub of the
//	   lowest rank if they are in one process (openTogether). Peers check the stamps. If a rank
//	   cannot open the descriptor of another, the group begins again with a named file (openFenced).
//	3  between processes, every rank tries cross memory attach on a peer; all or none use it.
//
// Then all pairs measure their core latency, which decides the copy routines. The file has no name
// any more when openWire returns, so nothing remains of ranks that are killed.
func openWire(ctx context.Context, job device.Job, pairs protocol.Pairs, ring int, cma, wait string) (*wire, error) {
	rank, size := job.Rank(), job.Size()
	w := &wire{
		peers: make([]peer, size),
		rank:  rank,
		group: groupOf(rank, size, pairs),
		nonce: rand.Uint64() | 1,
		watch: newWatch(size),
		jobs:  make(jobs, 0, 64),
		idled: time.Now(),
		fd:    -1,
		pipe:  noPipe,
	}
	w.layout = newLayout(len(w.group), ring)
	for i := range w.peers {
		w.peers[i].index, w.peers[i].bell = -1, -1
	}
	for index, member := range w.group {
		w.peers[member].index = index
	}
	own, err := newEndpoint(w.layout)
	if err != nil {
		own.Error = err.Error()
	}
	if w.group[0] == rank {
		if own.File, err = w.create(false); err != nil {
			own.Error = err.Error()
		}
	}
	w.meeting = &hub{segments: make([]segment, size)}
	own.Hub = uint64(uintptr(unsafe.Pointer(w.meeting)))
	own.Crowded = len(w.group) > device.Processors(job)
	own.Sleeps = own.Crowded && wait == "auto" || wait == "yield" || wait == "block"
	if own.Sleeps && len(w.group) < size { // there is another wire
		if err = w.pipe.open(); err != nil {
			own.Error = err.Error()
		} else {
			own.Bell = &w.pipe.in
		}
	}
	// The others know the hub by a number only, which keeps nothing alive: if this rank fails
	// before they have read it, it must still exist.
	meeting := w.meeting
	time.AfterFunc(time.Minute, func() { runtime.KeepAlive(meeting) })
	endpoints, err := exchangeEndpoints(ctx, job, own)
	if err != nil {
		return nil, errors.Join(err, w.free())
	}
	// Every rank checks all groups, so that either all ranks continue or none does.
	if err := checkGroups(endpoints, rank, pairs); err != nil {
		return nil, errors.Join(err, w.free())
	}
	for _, member := range w.group {
		w.peers[member].endpoint = endpoints[member]
		w.bells = w.bells || endpoints[member].Sleeps
	}
	if together(endpoints, w.group) {
		address := endpoints[w.group[0]].Hub
		err = w.openTogether(ctx, job, *(**hub)(unsafe.Pointer(&address)))
	} else {
		err = w.openApart(ctx, job, cma)
	}
	w.meeting = nil
	if err != nil {
		return nil, errors.Join(err, w.free())
	}
	index := w.peers[rank].index
	w.others, w.batch = make([]int, 0, len(w.group)), make([]int, 0, len(w.group))
	for i := 1; i < len(w.group); i++ {
		// Every rank starts with another peer, so that not all poll the lowest rank first.
		w.others = append(w.others, w.group[(index+i)%len(w.group)])
	}
	for i := range w.peers {
		if p := &w.peers[i]; i == rank || p.index < 0 {
			p.channel = newEmptyChannel()
			p.dead, p.holding = true, 1
		}
	}
	w.limits = w.newLimits()
	packed := slices.ContainsFunc(w.group, func(member int) bool { return endpoints[member].Crowded })
	if err := w.survey(ctx, packed); err != nil {
		w.own.close() // so that no peer waits for this rank
		return nil, errors.Join(err, w.free())
	}
	tunings := [distances]tuning{crowded, crowded}
	if !packed {
		for distance := range tunings {
			var unknown []string
			tunings[distance], unknown = tuningOf(profile.InForce(), distance)
			w.unknown = append(w.unknown, unknown...)
		}
	}
	w.adopt(tunings)
	return w, nil
}

// groupOf returns the ranks that rank is connected with, and rank itself, in ascending order.
func groupOf(rank, size int, pairs protocol.Pairs) []int {
	return slices.DeleteFunc(allRanks(size), func(other int) bool { return other != rank && !pairs.Connect(rank, other) })
}

// allRanks returns 0 to size-1.
func allRanks(size int) []int {
	all := make([]int, size)
	for rank := range all {
		all[rank] = rank
	}
	return all
}

// together reports whether the ranks of a group are goroutines of one process.
func together(endpoints []endpoint, group []int) bool {
	apart := func(member int) bool { return endpoints[member].PID != endpoints[group[0]].PID }
	return len(group) > 1 && !slices.ContainsFunc(group, apart)
}

// Goroutines of one process have no descriptors to exchange, and their heap memory can be reached
// as it is. Whoever holds a segment of a peer keeps it alive, also after the peer has closed.
//
// openTogether connects goroutines of one process over heap memory.
func (w *wire) openTogether(ctx context.Context, job device.Job, meeting *hub) error {
	w.reach = reachDirect
	w.bells = w.bells && !w.peers[w.rank].endpoint.Crowded // goroutines give way to others instead
	w.pipe.close()
	if err := w.drop(); err != nil {
		return err
	}
	var own endpoint
	one := w.layout
	one.ranks = 1
	mem, err := heapMemory(one.headers() + w.layout.size())
	if err != nil {
		own.Error = err.Error()
	} else {
		w.own = segment{mem[:headerStride], mem[one.headers():], w.layout}
		w.own.stamp(w.nonce)
		meeting.segments[w.rank] = w.own
	}
	if _, err := exchangeEndpoints(ctx, job, own); err != nil {
		return err
	}
	for _, rank := range w.group {
		if rank != w.rank {
			w.connect(rank, meeting.segments[rank])
		}
	}
	_, err = exchangeEndpoints(ctx, job, endpoint{})
	return err
}

// openApart connects processes over a file.
func (w *wire) openApart(ctx context.Context, job device.Job, cma string) error {
	if cma != cmaOff {
		admitSiblings()
	}
	var own endpoint
	if err := w.join(); err == nil {
		own.Nonce, own.Address = w.nonce, uint64(address(w.own.header))
	} else if own.Fence = fenceOf(err); own.Fence == "" {
		own.Error = err.Error()
	}
	endpoints, err := exchangeEndpoints(ctx, job, own)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(endpoints, func(e endpoint) bool { return e.Fence != "" }) {
		if endpoints, err = w.openFenced(ctx, job, endpoints); err != nil {
			return err
		}
	}
	own = endpoint{}
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
	w.populate()
	return w.dropFile() // all have mapped it
}

// populateLimit bounds the file that populate maps, in bytes: the rings of three ranks. More pages
// would take longer than all else at open.
const populateLimit = 16 << 20

// Each rank maps all segments of its group, but touches its own first (join reserves it), so that
// the pages lie on the memory node of the core that reads them.
//
// populate maps and touches all pages of the file, if it is small and ranks have processors of
// their own. Otherwise the messages of the first pass through a ring take page faults: 64 KiB can
// then take a hundred times as long, and a warm-up that ends within this pass does not notice. All
// ranks must have reserved their segments, so that each lies on the node of its rank.
func (w *wire) populate() {
	if len(w.file) > populateLimit || w.peers[w.rank].endpoint.Crowded {
		return
	}
	// Kernels before Linux 5.14 refuse it, and the loop takes a fault for each page.
	_ = unix.Madvise(w.file, unix.MADV_POPULATE_WRITE)
	for at := 0; at < len(w.file); at += pageSize {
		// Hypervisors with shadow page tables map a page at its first use only. Adding nothing
		// changes no word that a peer writes at the same time.
		atomic.AddUint64((*uint64)(unsafe.Pointer(&w.file[at])), 0)
	}
}

// create makes the file of the group, with a name or without. Its ranks reserve the memory of their
// segments themselves: so it lies near to their cores.
func (w *wire) create(named bool) (*file, error) {
	size := w.layout.fileSize()
	err := checkRoom(size)
	if err == nil && named {
		w.path, w.fd, w.file, err = sharedmem.CreateNamed("ranks", size)
	} else if err == nil {
		w.fd, w.file, err = sharedmem.Create("ranks", size, false)
	}
	if err == nil {
		err = sharedmem.Reserve(w.fd, 0, w.layout.headers())
	}
	if err != nil {
		return nil, limit.Explain(err)
	}
	newSegment(w.file, w.layout, 0).stamp(w.nonce)
	return &file{Path: w.path, FD: w.fd, Nonce: w.nonce}, nil
}

// drop unmaps and removes the file.
func (w *wire) drop() error {
	var err error
	if w.file != nil {
		err = unix.Munmap(w.file)
		w.file = nil
	}
	return errors.Join(err, w.dropFile())
}

// dropFile closes the descriptor of the file and removes its name. The mapping stays.
func (w *wire) dropFile() error {
	var errs []error
	if w.fd >= 0 {
		errs = append(errs, unix.Close(w.fd))
		w.fd = -1
	}
	if w.path != "" {
		errs = append(errs, unix.Unlink(w.path))
		w.path = ""
	}
	return errors.Join(errs...)
}

// join maps the file of the group, and reserves and marks the segment of this rank.
func (w *wire) join() error {
	leader := w.peers[w.group[0]].endpoint
	if leader.File == nil {
		return fmt.Errorf("rank %d has announced no segments", w.group[0])
	}
	fd := w.fd
	if fd < 0 {
		var err error
		if leader.File.Path != "" {
			fd, w.file, err = sharedmem.OpenNamed(leader.File.Path)
		} else if fd, err = openDescriptor(leader.PID, leader.File.FD); err == nil {
			w.file, err = sharedmem.Map(fd)
		}
		if fd >= 0 {
			defer unix.Close(fd)
		}
		if err != nil {
			return fmt.Errorf("the segments of the ranks cannot be opened: %w", limit.Explain(err))
		}
	}
	if want := w.layout.fileSize(); len(w.file) != want {
		return fmt.Errorf("the segments of the ranks have %d bytes, not the %d of this job", len(w.file), want)
	} else if err := newSegment(w.file, w.layout, 0).check(leader.File.Nonce); err != nil {
		return fmt.Errorf("rank %d: %w", w.group[0], err)
	}
	index := w.peers[w.rank].index
	w.own = newSegment(w.file, w.layout, index)
	if err := sharedmem.Reserve(fd, w.layout.headers()+index*w.layout.size(), w.layout.size()); err != nil {
		return limit.Explain(err)
	}
	w.own.stamp(w.nonce)
	return nil
}

// attach connects all peers.
func (w *wire) attach(endpoints []endpoint) error {
	for _, rank := range w.group {
		if rank == w.rank {
			continue
		}
		p := &w.peers[rank]
		p.endpoint.Nonce, p.endpoint.Address = endpoints[rank].Nonce, endpoints[rank].Address
		if pid := p.endpoint.PID; pid != os.Getpid() {
			if err := w.watch.add(rank, pid); err != nil {
				return err
			}
		}
		s := newSegment(w.file, w.layout, p.index)
		if err := s.check(p.endpoint.Nonce); err != nil {
			return fmt.Errorf("rank %d: %w", rank, err)
		}
		w.connect(rank, s)
		if p.endpoint.Bell != nil && w.fenced == "" {
			if err := p.openBell(); err != nil {
				return fmt.Errorf("rank %d: %w", rank, err)
			}
		}
	}
	return nil
}

// connect sets up the channel with a peer.
func (w *wire) connect(rank int, s segment) {
	p := &w.peers[rank]
	p.segment = s
	p.channel = newChannel(w.peers[w.rank].index, p.index, w.own, s)
}

// maxProbes bounds the peers that a rank tries cross memory attach on. The reason against it lies
// in the caller or in the other rank, and both are tried: each rank tries others, and others try
// it.
const maxProbes = 16

// tryCMA returns the reason why cross memory attach cannot be used, "" if it can.
func (w *wire) tryCMA(cma string) string {
	if cma == cmaOff {
		return "switched off by option"
	}
	index := w.peers[w.rank].index
	for i := 1; i < min(len(w.group), 1+maxProbes); i++ {
		if err := probeCMA(&w.peers[w.group[(index+i)%len(w.group)]]); err != nil {
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
	w.pipe.close()
	for i := range w.peers {
		w.peers[i].closeBell()
		w.peers[i].mapped.close()
	}
	return errors.Join(append(errs, w.drop())...)
}

// newLimits returns the limits of the wire after it has connected.
func (w *wire) newLimits() protocol.Limits {
	l := protocol.Limits{
		Quick:         true,
		Packet:        w.layout.packet(),
		Fragment:      min(w.layout.packet(), fragment),
		Overlap:       true,
		MemoryPerPair: w.layout.perPair(),
		EagerLimit:    maxEager,
		Methods:       []protocol.Method{protocol.Get, protocol.Put, protocol.Split},
		Copy:          "direct", // without cross memory attach, memory from Alloc is still copied so
		CopyFrom:      w.copyFrom,
		Goroutines:    w.reach == reachDirect,
	}
	if w.reach == reachCMA {
		l.Copy = "cma"
	}
	if w.reach != reachDirect && w.fenced == "" {
		l.AllocCopy = "direct"
	}
	return l
}
