package smem

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"gobench/device"
)

// A region is memory given out by Alloc. Between processes it is a memfd of its own, whose first
// page is a header, and which peers map when they first need it. In one address space it is
// ordinary memory. Its life, and what a peer sees:
//
//	Alloc    the nonce is stored in the header. A key names descriptor and nonce.
//	find     a peer opens /proc/PID/fd/FD. The descriptor may be that of a later region by then: the
//	         nonce tells, and the peer refuses it.
//	Free     dead is set, the pages are released, and the owner's count of frees grows. A peer that
//	         accesses its mapping then reads zeros, and its writes are lost, but nothing else is hit.
//	sweep    a peer that sees a new count unmaps the dead ones, except what the user has imported.
//
// The order in Free matters: dead is visible before the count, so that a sweep misses no region for
// good; and the pages go before the count, so that memory is back even if no peer ever sweeps.
type region struct {
	fd    int
	nonce uint64
	mem   []byte // the whole mapping, header page first
	user  []byte // what the caller got
}

// Words of a region's header page.
const (
	regionNonce = 0
	regionDead  = 64 // 1 once the region has been freed
)

// regions holds what Alloc has given out and Free has not taken back.
type regions []*region

// find returns the region that holds all of buf, and where in its mapping.
func (rs regions) find(buf []byte) (r *region, offset int) {
	from := address(buf)
	for _, r := range rs {
		start := address(r.mem)
		if from >= start && from+uintptr(len(buf)) <= start+uintptr(len(r.mem)) {
			return r, int(from - start)
		}
	}
	return nil, 0
}

// Alloc implements protocol.Allocator. The memory is reserved in advance.
func (w *wire) Alloc(n int) ([]byte, error) {
	if n < 0 {
		return nil, fmt.Errorf("transport smem: cannot allocate %d bytes", n)
	}
	size := (max(n, 1) + pageSize - 1) &^ (pageSize - 1)
	if size < n {
		return nil, fmt.Errorf("transport smem: cannot allocate %d bytes", n)
	}
	r := &region{fd: -1}
	if w.reach == reachDirect {
		mem, err := heapMemory(size)
		if err != nil {
			return nil, fmt.Errorf("transport smem: %w", err)
		}
		r.mem, r.user = mem, mem[:n:n]
	} else {
		fd, mem, err := createShared("region", pageSize+size)
		if err != nil {
			return nil, fmt.Errorf("transport smem: %w", err)
		}
		r.fd, r.mem, r.user = fd, mem, mem[pageSize:pageSize+n:pageSize+n]
		w.allocs++
		r.nonce = w.nonce + w.allocs
		atomic.StoreUint64(r.word(regionNonce), r.nonce)
	}
	w.regions = append(w.regions, r)
	return r.user, nil
}

// Free implements protocol.Allocator.
func (w *wire) Free(buf []byte) error {
	for i, r := range w.regions {
		if address(buf) == address(r.user) && len(buf) == len(r.user) {
			w.regions = append(w.regions[:i], w.regions[i+1:]...)
			return w.release(r)
		}
	}
	return fmt.Errorf("transport smem: this memory of %d bytes was not allocated here, or is freed already", len(buf))
}

// Registrations implements protocol.Allocator.
func (w *wire) Registrations() (r device.Registrations, ok bool) { return r, false }

// release gives the memory back now, although peers may have it mapped:
// the pages go away under them, and the mappings when they next look.
func (w *wire) release(r *region) error {
	if r.fd < 0 {
		return nil
	}
	atomic.StoreUint64(r.word(regionDead), 1)
	err := unix.Fallocate(r.fd, unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, pageSize, int64(len(r.mem)-pageSize))
	atomic.AddUint64(w.own.word(wordFrees), 1)
	err = cmp.Or(err, unix.Munmap(r.mem))
	if e := unix.Close(r.fd); err == nil {
		err = e
	}
	if err != nil {
		return fmt.Errorf("transport smem: freeing shared memory: %w", err)
	}
	return nil
}

// word returns a word of the header page.
func (r *region) word(offset int) *uint64 { return (*uint64)(unsafe.Pointer(&r.mem[offset])) }

// mappings are the regions of one peer that this rank has mapped.
type mappings struct {
	list  []mapping
	frees uint64 // the peer's count of freed regions when the list was last swept
}

// mapping is a region as its peer has it mapped. What was imported is in the hands of the user, and
// stays until Close.
type mapping struct {
	region
	imported bool
}

// A peer that accesses many regions keeps them mapped until their owner frees them, because mapping
// takes longer than copying a short message.
//
// find returns the mapping of a region, which it makes at first use.
func (m *mappings) find(p *peer, fd int, nonce uint64) (*mapping, error) {
	for i := range m.list {
		if m.list[i].nonce == nonce {
			return &m.list[i], nil
		}
	}
	m.sweep(p)
	mem, err := openShared(p.endpoint.PID, fd)
	if err != nil {
		return nil, err
	}
	r := region{fd: -1, nonce: nonce, mem: mem}
	if atomic.LoadUint64(r.word(regionNonce)) != nonce {
		unix.Munmap(mem)
		return nil, fmt.Errorf("descriptor %d of process %d is not the region that was announced", fd, p.endpoint.PID)
	}
	m.list = append(m.list, mapping{region: r})
	return &m.list[len(m.list)-1], nil
}

// sweep unmaps what the peer has freed, but for what was imported.
func (m *mappings) sweep(p *peer) {
	frees := atomic.LoadUint64(p.segment.word(wordFrees))
	if frees == m.frees {
		return
	}
	m.frees = frees
	kept := m.list[:0]
	for i := range m.list {
		if !m.list[i].imported && atomic.LoadUint64(m.list[i].word(regionDead)) != 0 {
			unix.Munmap(m.list[i].mem)
		} else {
			kept = append(kept, m.list[i])
		}
	}
	m.list = kept
}

// close unmaps all, also what was imported: the device is closed, and with it all that it has given
// out.
func (m *mappings) close() {
	for i := range m.list {
		unix.Munmap(m.list[i].mem)
	}
	m.list = nil
}

// The name of exported memory has four words of 64 bits, little endian: the descriptor in its
// owner's process, the nonce of its region (or, in one address space, the address), the offset in
// the region, and the length. It is checked like a key, because it comes from a peer.
const nameSize = 4 * 8

// Export implements protocol.Exporter.
func (w *wire) Export(mem []byte) ([]byte, error) {
	if w.fenced != "" {
		return nil, fmt.Errorf("transport smem: memory cannot be exported, because ranks cannot open each other's (%s)", w.fenced)
	}
	r, offset := w.regions.find(mem)
	if r == nil || len(mem) == 0 {
		return nil, fmt.Errorf("transport smem: %d bytes that were not allocated here cannot be exported", len(mem))
	}
	name := make([]byte, nameSize)
	binary.LittleEndian.PutUint64(name, uint64(r.fd))
	binary.LittleEndian.PutUint64(name[8:], r.nonce)
	binary.LittleEndian.PutUint64(name[16:], uint64(offset))
	binary.LittleEndian.PutUint64(name[24:], uint64(len(mem)))
	if w.reach == reachDirect {
		binary.LittleEndian.PutUint64(name[8:], uint64(address(mem)))
	}
	return name, nil
}

// Import implements protocol.Exporter. The mapping stays until Close. When the owner frees the
// memory, its pages are released, and later reads return zeros. Between goroutines the owner keeps
// the memory alive until it is imported, and then the importing slice does.
func (w *wire) Import(peer int, name []byte) ([]byte, error) {
	if uint(peer) >= uint(len(w.peers)) || w.peers[peer].index < 0 {
		return nil, fmt.Errorf("transport smem: rank %d shares no memory with rank %d", peer, w.rank)
	}
	if len(name) != nameSize {
		return nil, fmt.Errorf("transport smem: the name of exported memory has %d bytes, want %d", len(name), nameSize)
	}
	fd := int(int64(binary.LittleEndian.Uint64(name)))
	word := binary.LittleEndian.Uint64(name[8:])
	offset, length := binary.LittleEndian.Uint64(name[16:]), binary.LittleEndian.Uint64(name[24:])
	if w.reach == reachDirect {
		return unsafe.Slice(*(**byte)(unsafe.Pointer(&word)), length), nil
	}
	p := &w.peers[peer]
	mapped, err := p.mapped.find(p, fd, word)
	if err != nil {
		return nil, fmt.Errorf("transport smem: exported memory of rank %d cannot be opened: %w", peer, err)
	}
	mem := mapped.mem
	if offset > uint64(len(mem)) || length > uint64(len(mem))-offset {
		return nil, fmt.Errorf("transport smem: rank %d exported more than it has", peer)
	}
	mapped.imported = true
	return mem[offset : offset+length : offset+length], nil
}

// Collective operations copy by Post into memory that all ranks read and by Fetch out of memory
// that one rank has written, so one far rank decides for all.
//
// Post implements protocol.Exporter: by the routine for far peers if one is far, because each of
// its lines would come from this core's cache at the full distance.
func (w *wire) Post(dst, src []byte) { w.posts.copy(dst, src) }

// Fetch implements protocol.Exporter: by the routine for far peers if one is far, as Post does.
func (w *wire) Fetch(dst, src []byte) { w.fetches.copy(dst, src) }

// nearGap is the gap between blocks posted for near cores, in bytes (docs/notes/smem.md).
const nearGap = 1 << 10

// Gap implements protocol.Exporter. Lines that bypass the caches are not taken from this core, and
// those of the next data come earlier if they follow directly.
func (w *wire) Gap() int { return w.gap }
