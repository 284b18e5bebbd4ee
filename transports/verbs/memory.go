//go:build verbs && cgo

package verbs

import (
	"errors"
	"fmt"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"gobench/device/protocol"
	"gobench/transports/verbs/ibv"
)

// pageSize is 4 KiB on most machines, and 64 KiB on some of arm64 and ppc64.
func pageSize() uintptr { return uintptr(syscall.Getpagesize()) }

func address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

// region is memory that is registered with every rail.
type region struct {
	handle     int32 // place in the table
	start, end uintptr
	rails      [maxRails]ibv.Memory
	n          int    // rails in use
	users      int    // transfers that have it now
	cached     bool   // in the cache: it stays registered
	used       uint64 // when a transfer last took it, counted in transfers
	own        []byte // memory that Alloc returned, mapped for it
}

// memory is the registered memory of a rank.
type memory struct {
	q       *queues
	table   []*region // by handle
	free    []int32   // handles
	spare   []*region
	buffers []*region // of Alloc
	cache   cache
}

func (m *memory) at(handle int32) *region { return m.table[handle] }

// register registers [start, end).
func (m *memory) register(start, end uintptr) (*region, error) {
	if len(m.spare) == 0 {
		m.spare = append(m.spare, new(region))
	}
	r := m.spare[len(m.spare)-1]
	m.spare = m.spare[:len(m.spare)-1]
	*r = region{start: start, end: end}
	for i, rail := range m.q.rails {
		k, err := rail.Register(start, end-start)
		if err != nil {
			r.drop()
			m.spare = append(m.spare, r)
			return nil, explainRegistration(int(end-start), err)
		}
		r.rails[i] = k
		r.n++
	}
	if len(m.free) == 0 {
		m.table = append(m.table, nil)
		m.free = append(m.free, int32(len(m.table)-1))
	}
	r.handle = m.free[len(m.free)-1]
	m.free = m.free[:len(m.free)-1]
	m.table[r.handle] = r
	return r, nil
}

func (r *region) drop() {
	for i := range r.n {
		r.rails[i].Deregister()
	}
	r.n = 0
}

func (m *memory) deregister(r *region) {
	r.drop()
	m.table[r.handle] = nil
	m.free = append(m.free, r.handle)
	m.spare = append(m.spare, r)
}

func explainRegistration(n int, err error) error {
	return fmt.Errorf("registering %d bytes: %w", n, explainLocked(err))
}

// explainLocked names the limit that registered memory, and queues with many adapters, count
// against.
func explainLocked(err error) error {
	var call *ibv.CallError
	if errors.As(err, &call) && (call.Errno == syscall.ENOMEM || call.Errno == syscall.EPERM) {
		var l unix.Rlimit
		if unix.Getrlimit(unix.RLIMIT_MEMLOCK, &l) == nil && l.Cur != unix.RLIM_INFINITY {
			return fmt.Errorf("%w; registered memory counts against the limit of locked memory (ulimit -l), which is %d bytes: raise it", err, l.Cur)
		}
	}
	return err
}

// allocated returns the buffer of Alloc that holds [start, end).
func (m *memory) allocated(start, end uintptr) *region {
	for _, r := range m.buffers {
		if r.start <= start && end <= r.end {
			return r
		}
	}
	return nil
}

// Register implements protocol.RMA.
func (m *memory) Register(buf []byte) (protocol.Key, error) {
	start, end := address(buf), address(buf)+uintptr(len(buf))
	r := m.allocated(start, end)
	var err error
	if r == nil {
		r, err = m.cached(start, end)
	}
	if r == nil && err == nil {
		r, err = m.register(start, end)
	}
	if err != nil {
		return protocol.Key{}, err
	}
	r.users++
	return key(buf, r.handle, r), nil
}

// Deregister implements protocol.RMA.
func (m *memory) Deregister(k protocol.Key) {
	r := m.at(keyHandle(k))
	if r.users--; r.users == 0 && r.own == nil && !r.cached {
		m.deregister(r)
	}
}

// Alloc implements protocol.Allocator: pages of their own, registered until Free.
func (m *memory) Alloc(n int) ([]byte, error) {
	page := int(pageSize())
	size := max(1, (n+page-1)&^(page-1))
	own, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, fmt.Errorf("allocating %d bytes: %w", n, err)
	}
	r, err := m.register(address(own), address(own)+uintptr(len(own)))
	if err != nil {
		unix.Munmap(own)
		return nil, err
	}
	r.own = own
	m.buffers = append(m.buffers, r)
	return own[:n:max(n, 1)], nil // never without an address
}

// Free implements protocol.Allocator.
func (m *memory) Free(b []byte) error {
	for i, r := range m.buffers {
		if r.start == address(b) {
			m.buffers = append(m.buffers[:i], m.buffers[i+1:]...)
			own := r.own
			m.deregister(r)
			return unix.Munmap(own)
		}
	}
	return fmt.Errorf("transport ibv: this memory of %d bytes was not allocated here, or is freed already", len(b))
}

// close ends all registrations. The queues must have been destroyed before.
func (m *memory) close() {
	for _, r := range m.table {
		if r == nil {
			continue
		}
		r.drop()
		if r.own != nil {
			unix.Munmap(r.own)
		}
	}
	m.cache.close()
	*m = memory{q: m.q}
}
