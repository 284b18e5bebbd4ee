package naive

import (
	"encoding/binary"

	"gobench/device"
)

// Export names memory by its number in the world (device.Sharer).
func (d *Device) Export(mem []byte) ([]byte, error) {
	if d.closed {
		return nil, device.ErrClosed
	}
	d.world.Lock()
	defer d.world.Unlock()
	d.world.exported = append(d.world.exported, mem)
	return binary.LittleEndian.AppendUint64(nil, uint64(len(d.world.exported)-1)), nil
}

// Import returns the memory itself: the ranks share an address space.
func (d *Device) Import(_ int, name []byte) ([]byte, error) {
	if d.closed {
		return nil, device.ErrClosed
	}
	d.world.Lock()
	defer d.world.Unlock()
	return d.world.exported[binary.LittleEndian.Uint64(name)], nil
}

// Post copies (device.Sharer).
func (d *Device) Post(dst, src []byte) { copy(dst, src) }

// Fetch copies (device.Sharer).
func (d *Device) Fetch(dst, src []byte) {
	copy(dst, src)
	if d.fault == Flipped && len(src) >= 100 {
		dst[len(src)-1] ^= 1
	}
}

// Gap returns 0: data lies side by side (device.Sharer).
func (d *Device) Gap() int { return 0 }

func (d *Device) Alloc(n int) ([]byte, error) {
	if d.closed {
		return nil, device.ErrClosed
	}
	if d.fault == Reused && n <= len(d.freed) {
		return d.freed[:n:n], nil
	}
	return alignedPages(n), nil
}

func (d *Device) Free(b []byte) error {
	d.freed = b
	return nil
}
