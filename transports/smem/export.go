package smem

import (
	"encoding/binary"
	"fmt"
	"unsafe"
)

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
