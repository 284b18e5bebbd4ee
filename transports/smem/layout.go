package smem

import (
	"gobench/device"
	"gobench/device/protocol"
)

// A segment is the memory through which one rank receives: a header, one pair of cache lines for
// every peer, and one ring for every peer.
//
//	header  magic, nonce, geometry, closed, cuts, frees, goodbye, bell, goodbyes
//	marks   a bit for every rank: its ring may have packets; used where ranks may sleep
//	lines   for rank i: the head line of its ring; the latency lines, or in the segment of the higher rank
//	        the slot that the pair writes in turns
//	rings   for every rank but the owner: slots, then data
//	areas   for half of the ranks: the data behind the slot of the pair
//
// Each line, ring and area has one writer at a time: the head line of a ring and the marks that it
// clears belong to the owner, the ring to its sender, the slot and the area to the rank whose turn
// it is (channel), the latency lines to the rank whose turn they show. The marks and the bell are
// written by atomic read-modify-writes of all.
//
// A segment is initialised with zeros. Between processes the segments of a group are in one file,
// which each rank maps once: all headers, then the lines and rings of one rank after the other.
// Each rank reads the headers of all peers repeatedly, so headers share pages: with a header page
// in each segment, each of 256 ranks would map 256 pages, and the kernel many neighbours of each.
const (
	pageSize     = 4096
	lineSize     = 64
	headerStride = 512
	lineStride   = 128 * (1 + device.CoreLines) // lines, each alone in 128 bytes: prefetchers fetch lines in pairs

	magic = 0x676f62656e636805 // "gobench", version 5 of this layout
)

// Words of the header, as offsets in bytes. Nonce and geometry are written before the segment is
// announced, the others while it is in use; the latter have their own lines.
const (
	wordMagic    = 0
	wordNonce    = 8
	wordGeometry = 16
	wordScratch  = 64  // probes of peers write here
	wordClosed   = 128 // 1 once the owner has closed its device
	wordCuts     = 136 // how many peers the owner has given up
	wordFrees    = 256 // how many regions the owner has freed
	wordGoodbye  = 320 // 1 + the word of the owner's goodbye, 0 before
	wordBell     = 384 // on which the owner sleeps
	wordGoodbyes = 448 // in the segment of the lowest rank: how many ranks have sent a goodbye
)

// Bounds of the option ring_bytes.
const (
	minRing = 4 << 10
	maxRing = 64 << 20
	// defaultRing is longer than the level-2 caches of two cores. In a shorter ring, rewritten
	// lines are still in the reader's cache, from which they must be fetched.
	defaultRing = 2 << 20
	maxSlots    = 256       // they stay in the nearest caches
	areaPart    = 32        // of data: what an area has of it, at most one fragment
	minArea     = 1 << 10   // smaller ones do not pay
	ringBudget  = 192 << 20 // of all rings of a job together, where ring_bytes is left to us
)

// layout is the geometry of every segment of a job.
type layout struct {
	ranks int
	slots int // lines of the slot ring, a power of two
	data  int // bytes of the data ring, a power of two
	area  int // bytes of the area of a pair, 0 if there is none
}

// newLayout returns the geometry for a job of that many ranks. ring is the size of a data ring in
// bytes, which is rounded up to a power of two. If it is negative, rings shrink as the number of
// pairs grows.
func newLayout(ranks, ring int) layout {
	data := minRing
	if ring < 0 {
		data = defaultRing
		for data > minRing && ranks*(ranks-1)*(data+data/4) > ringBudget {
			data /= 2
		}
	}
	for data < ring && data < maxRing {
		data *= 2
	}
	l := layout{ranks: ranks, slots: min(data/4/lineSize, maxSlots), data: data}
	if area := data / areaPart; area >= minArea {
		l.area = min(area, fragment)
	}
	return l
}

// packet returns the most data of one packet: a quarter of the ring, because the end of the ring
// may stay unused (by at most one packet), and the consumer returns room a quarter at a time.
func (l layout) packet() int { return l.data / 4 }

// ringBytes returns the size of a ring, its slots and its data. geometry is equal on ranks that lay
// out segments alike: all other sizes follow from it.
func (l layout) ringBytes() int   { return l.slots*lineSize + l.data }
func (l layout) geometry() uint64 { return uint64(l.ranks)<<32 | uint64(l.data) }

// perPair returns the memory of one pair of ranks in bytes, both directions.
func (l layout) perPair() int64 { return 2*int64(l.ringBytes()+lineStride) + int64(l.area) }

// headers returns the size of the headers of all segments.
func (l layout) headers() int { return wholePages(l.ranks * headerStride) }

// marks returns the number of words that hold the marks.
func (l layout) marks() int { return (l.ranks + 63) / 64 }

// lines returns the offset of the lines.
func (l layout) lines() int { return (l.marks()*8 + 127) &^ 127 }

// ringStart returns the offset of the first ring, which begins a page: the pages of rings that are
// never used are never touched.
func (l layout) ringStart() int { return wholePages(l.lines() + l.ranks*lineStride) }

// areaStart returns the offset of the first area, behind the rings of all other ranks.
func (l layout) areaStart() int { return l.ringStart() + (l.ranks-1)*l.ringBytes() }

// size returns the size of a segment without its header.
func (l layout) size() int { return wholePages(l.areaStart() + l.ranks/2*l.area) }

// fileSize returns the size of the segments of all ranks.
func (l layout) fileSize() int { return l.headers() + l.ranks*l.size() }

// wholePages rounds up to pages.
func wholePages(n int) int { return (n + pageSize - 1) &^ (pageSize - 1) }

// ring returns the offset of the ring from sender in the segment of owner.
func (l layout) ring(owner, sender int) int {
	if sender > owner {
		sender--
	}
	return l.ringStart() + sender*l.ringBytes()
}

// headLine returns the offset of the line in which the owner returns the room of the ring from
// sender, and turnLine that of the slot of a pair.
func (l layout) headLine(sender int) int { return l.lines() + sender*lineStride }
func (l layout) turnLine(peer int) int   { return l.headLine(peer) + 128 } // for the higher rank

// latencyLine returns the offset of a latency line, 0 to device.CoreLines-1, for the lower rank.
func (l layout) latencyLine(peer, line int) int { return l.headLine(peer) + 128*(1+line) }

// areaOf returns the segment that holds the area of a pair, and the offset there. Each segment
// holds those with the ranks that follow, half of all.
func (l layout) areaOf(a, b int) (owner, offset int) {
	behind := (b - a + l.ranks) % l.ranks
	if 2*behind > l.ranks || 2*behind == l.ranks && a > b {
		a, behind = b, l.ranks-behind
	}
	return a, l.areaStart() + (behind-1)*l.area
}

// inlineRoom is the data in bytes that fits a slot behind its word and header.
const inlineRoom = lineSize - 8 - protocol.HeaderSize
