//go:build cgo && (verbs || ucx || ofi || gni)

// Package registration manages the memory that a rank has registered with its network: buffers of
// the rank's allocator as long as they live, and other buffers for one transfer, or longer in a
// cache (Table.Keep).
package registration

import (
	"fmt"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"gobench/device"
)

// PageSize returns 4 KiB on most machines, and 64 KiB on some of arm64 and ppc64.
func PageSize() uintptr { return uintptr(syscall.Getpagesize()) }

// Address returns the address of a buffer.
func Address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

// A Region is registered memory. Memory is the network's part.
type Region[M any] struct {
	Handle     int32 // place in the table
	Start, End uintptr
	Memory     M
	users      int    // transfers that use it now
	cached     bool   // in the cache: it stays registered
	used       uint64 // number of the last transfer that used it
	own        []byte // memory that Alloc returned, mapped for it
}

// A Table holds the registered memory of a rank. One goroutine uses it at a time. A transfer of
// registered memory allocates nothing.
type Table[M any] struct {
	register func(start, end uintptr) (M, error)
	drop     func(*M)
	regions  []*Region[M] // by handle
	free     []int32      // handles
	spare    []*Region[M]
	buffers  []*Region[M] // of Alloc
	cache    cache[M]
	pinned   uintptr // bytes registered now
	uncached int     // buffers that Take registered while the cache is off
}

// New returns an empty table, without a cache. register registers [start, end) with the network,
// and drop ends that.
func New[M any](register func(start, end uintptr) (M, error), drop func(*M)) *Table[M] {
	return &Table[M]{register: register, drop: drop}
}

// At returns the region of a handle.
func (m *Table[M]) At(handle int32) *Region[M] { return m.regions[handle] }

// add registers [start, end).
func (m *Table[M]) add(start, end uintptr) (*Region[M], error) {
	memory, err := m.register(start, end)
	if err != nil {
		return nil, err
	}
	if len(m.spare) == 0 {
		m.spare = append(m.spare, new(Region[M]))
	}
	r := m.spare[len(m.spare)-1]
	m.spare = m.spare[:len(m.spare)-1]
	*r = Region[M]{Start: start, End: end, Memory: memory}
	if len(m.free) == 0 {
		m.regions = append(m.regions, nil)
		m.free = append(m.free, int32(len(m.regions)-1))
	}
	r.Handle = m.free[len(m.free)-1]
	m.free = m.free[:len(m.free)-1]
	m.regions[r.Handle] = r
	m.pinned += end - start
	return r, nil
}

func (m *Table[M]) deregister(r *Region[M]) {
	m.pinned -= r.End - r.Start
	m.drop(&r.Memory)
	m.regions[r.Handle] = nil
	m.free = append(m.free, r.Handle)
	m.spare = append(m.spare, r)
}

// allocated returns the buffer of Alloc that holds [start, end).
func (m *Table[M]) allocated(start, end uintptr) *Region[M] {
	for _, r := range m.buffers {
		if r.Start <= start && end <= r.End {
			return r
		}
	}
	return nil
}

// Take returns a registered region that holds buf, until Release. The region may be larger.
func (m *Table[M]) Take(buf []byte) (*Region[M], error) {
	start, end := Address(buf), Address(buf)+uintptr(len(buf))
	r := m.allocated(start, end)
	var err error
	if r == nil {
		r, err = m.cached(start, end)
	}
	if r == nil && err == nil {
		if m.cache.watch == nil {
			m.uncached++
		}
		r, err = m.add(start, end)
	}
	if err != nil {
		return nil, err
	}
	r.users++
	return r, nil
}

// Release ends what Take began.
func (m *Table[M]) Release(handle int32) {
	r := m.At(handle)
	if r.users--; r.users == 0 && r.own == nil && !r.cached {
		m.deregister(r)
	}
}

// Alloc returns separate pages, registered until Free (protocol.Allocator).
func (m *Table[M]) Alloc(n int) ([]byte, error) {
	page := int(PageSize())
	size := max(1, (n+page-1)&^(page-1))
	own, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, fmt.Errorf("allocating %d bytes: %w", n, err)
	}
	r, err := m.add(Address(own), Address(own)+uintptr(len(own)))
	if err != nil {
		unix.Munmap(own)
		return nil, err
	}
	r.own = own
	m.buffers = append(m.buffers, r)
	return own[:n:max(n, 1)], nil // a buffer of no bytes has an address, too
}

// Free frees memory of Alloc (protocol.Allocator).
func (m *Table[M]) Free(b []byte) error {
	for i, r := range m.buffers {
		if r.Start == Address(b) {
			m.buffers = append(m.buffers[:i], m.buffers[i+1:]...)
			own := r.own
			m.deregister(r)
			return unix.Munmap(own)
		}
	}
	return fmt.Errorf("this memory of %d bytes was not allocated here, or is freed already", len(b))
}

// Flush empties the cache: registrations end when no transfer uses them.
func (m *Table[M]) Flush() {
	for len(m.cache.regions) > 0 {
		m.evict(len(m.cache.regions) - 1)
	}
}

// Close ends all registrations. No transfer may be outstanding.
func (m *Table[M]) Close() {
	for _, r := range m.regions {
		if r == nil {
			continue
		}
		m.drop(&r.Memory)
		if r.own != nil {
			unix.Munmap(r.own)
		}
	}
	m.cache.close()
	*m = Table[M]{register: m.register, drop: m.drop}
}

// Stats are numbers of the cache, for the record.
type Stats struct {
	Limit        int // bytes that it may keep; 0: it is off
	Hits, Misses int // buffers of Take that were registered already, and those that were not
	Pinned       int // bytes registered now, in all
}

// Stats returns the numbers of the cache.
func (m *Table[M]) Stats() Stats {
	c := &m.cache
	return Stats{Limit: int(c.limit), Hits: c.hits, Misses: c.misses + m.uncached, Pinned: int(m.pinned)}
}

// Registrations returns the numbers of the cache for the record (protocol.Allocator).
func (m *Table[M]) Registrations() (r device.Registrations, ok bool) {
	s := m.Stats()
	return device.Registrations{Hits: int64(s.Hits), Misses: int64(s.Misses), Pinned: int64(s.Pinned)}, true
}
