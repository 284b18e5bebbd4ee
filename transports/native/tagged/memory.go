//go:build cgo && (ucx || ofi || mxm)

package tagged

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"

	"gobench/device"
)

// Memory allocates pages outside of the heap, for Device.Alloc.
type Memory struct {
	// Map, if not nil, registers pages with the library, and Unmap releases its result.
	Map   func(pages []byte) (handle unsafe.Pointer, err error)
	Unmap func(handle unsafe.Pointer)

	blocks map[*byte]block // by their first byte
}

type block struct {
	pages  []byte
	handle unsafe.Pointer
}

// Alloc returns n bytes that begin at a page.
func (m *Memory) Alloc(n int) ([]byte, error) {
	pages, err := unix.Mmap(-1, 0, max(n, 1), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, fmt.Errorf("allocating %d bytes: %w", n, err)
	}
	b := block{pages: pages}
	if m.Map != nil {
		if b.handle, err = m.Map(pages); err != nil {
			unix.Munmap(pages)
			return nil, err
		}
	}
	if m.blocks == nil {
		m.blocks = map[*byte]block{}
	}
	m.blocks[&pages[0]] = b
	return pages[:n], nil
}

// Free frees memory of Alloc.
func (m *Memory) Free(pages []byte) {
	first := unsafe.SliceData(pages)
	b, ok := m.blocks[first]
	if !ok {
		return
	}
	delete(m.blocks, first)
	m.unmap(b)
	unix.Munmap(b.pages)
}

// Close frees all memory. It unmaps the memory from the library, calls end, which closes the
// library, and then releases the pages to the system.
func (m *Memory) Close(end func()) {
	for _, b := range m.blocks {
		m.unmap(b)
	}
	end()
	for _, b := range m.blocks {
		unix.Munmap(b.pages)
	}
	m.blocks = nil
}

func (m *Memory) unmap(b block) {
	if m.Unmap != nil {
		m.Unmap(b.handle)
	}
}

// Alloc returns memory that the library may have mapped.
func (d *Device) Alloc(n int) ([]byte, error) {
	if d.closed {
		return nil, device.ErrClosed
	}
	return d.Memory.Alloc(n)
}

// Free frees memory of Alloc.
func (d *Device) Free(b []byte) error {
	if d.closed {
		return device.ErrClosed
	}
	d.Memory.Free(b)
	return nil
}
