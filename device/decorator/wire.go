package decorator

import (
	"fmt"
	"strings"
	"sync/atomic"

	"gobench/device/protocol"
)

// WireCounts says what a protocol has asked of its wire. It may be read at any
// time, from any goroutine.
type WireCounts struct {
	packets    [][256]atomic.Int64 // by peer, by the header's kind
	bytes      []atomic.Int64      // of packets' data, by peer
	refused    atomic.Int64
	puts, gets atomic.Int64
	notices    atomic.Int64 // that came without a put
	names      [256]atomic.Pointer[string]
}

// CountWire returns w with its traffic counted, for a job of size ranks. A
// wire that is an RMA, a Notifier or an Allocator stays one.
func CountWire(w protocol.Wire, size int) (protocol.Wire, *WireCounts) {
	counts := &WireCounts{packets: make([][256]atomic.Int64, size), bytes: make([]atomic.Int64, size)}
	counted := countedWire{w, counts}
	rma, reaches := w.(protocol.RMA)
	allocator, allocates := w.(protocol.Allocator)
	notifier, notifies := w.(protocol.Notifier)
	switch {
	case reaches && notifies && allocates:
		return struct {
			countedWire
			countedRMA
			countedNotifier
			protocol.Allocator
		}{counted, countedRMA{rma, counts}, countedNotifier{notifier, counts}, allocator}, counts
	case reaches && notifies:
		return struct {
			countedWire
			countedRMA
			countedNotifier
		}{counted, countedRMA{rma, counts}, countedNotifier{notifier, counts}}, counts
	case reaches && allocates:
		return struct {
			countedWire
			countedRMA
			protocol.Allocator
		}{counted, countedRMA{rma, counts}, allocator}, counts
	case reaches:
		return struct {
			countedWire
			countedRMA
		}{counted, countedRMA{rma, counts}}, counts
	case allocates:
		return struct {
			countedWire
			protocol.Allocator
		}{counted, allocator}, counts
	}
	return counted, counts
}

type countedWire struct {
	protocol.Wire
	counts *WireCounts
}

func (w countedWire) Push(peer int, h protocol.Header, data []byte) bool {
	if !w.Wire.Push(peer, h, data) {
		w.counts.refused.Add(1)
		return false
	}
	k := uint8(h.W0)
	if w.counts.packets[peer][k].Add(1) == 1 {
		name := h.Kind()
		w.counts.names[k].Store(&name)
	}
	w.counts.bytes[peer].Add(int64(len(data)))
	return true
}

type countedRMA struct {
	protocol.RMA
	counts *WireCounts
}

func (w countedRMA) Put(peer int, dst protocol.Key, offset int, src []byte, srcKey protocol.Key, token uint64) protocol.Started {
	s := w.RMA.Put(peer, dst, offset, src, srcKey, token)
	if s != protocol.Busy {
		w.counts.puts.Add(1)
	}
	return s
}

func (w countedRMA) Get(peer int, src protocol.Key, offset int, dst []byte, dstKey protocol.Key, token uint64) protocol.Started {
	s := w.RMA.Get(peer, src, offset, dst, dstKey, token)
	if s != protocol.Busy {
		w.counts.gets.Add(1)
	}
	return s
}

type countedNotifier struct {
	protocol.Notifier
	counts *WireCounts
}

func (w countedNotifier) PutNotice(peer int, dst protocol.Key, offset int, src []byte, srcKey protocol.Key, token uint64, word uint32) protocol.Started {
	s := w.Notifier.PutNotice(peer, dst, offset, src, srcKey, token, word)
	if s != protocol.Busy {
		w.counts.puts.Add(1)
	}
	return s
}

func (w countedNotifier) Notice(peer int, word uint32) bool {
	if !w.Notifier.Notice(peer, word) {
		return false
	}
	w.counts.notices.Add(1)
	return true
}

// Packets returns how many packets of a kind, as protocol.Header.Kind names it, were
// pushed to peer.
func (c *WireCounts) Packets(peer int, kind string) int64 {
	for k := range c.names {
		if name := c.names[k].Load(); name != nil && *name == kind {
			return c.packets[peer][k].Load()
		}
	}
	return 0
}

// Bytes returns the data bytes of all packets pushed to peer.
func (c *WireCounts) Bytes(peer int) int64 { return c.bytes[peer].Load() }

// Refused returns how often there was no room for a packet.
func (c *WireCounts) Refused() int64 { return c.refused.Load() }

// Puts and Gets return how many were started.
func (c *WireCounts) Puts() int64 { return c.puts.Load() }
func (c *WireCounts) Gets() int64 { return c.gets.Load() }

// Notices returns how many were sent without a put.
func (c *WireCounts) Notices() int64 { return c.notices.Load() }

// Controls returns the packets pushed that are not the data of an eager message.
func (c *WireCounts) Controls() (n int64) {
	for peer := range c.packets {
		for k := range c.names {
			if name := c.names[k].Load(); name != nil && *name != "eager" && *name != "fragment" && *name != "data" {
				n += c.packets[peer][k].Load()
			}
		}
	}
	return n
}

// String lists the packets pushed to each peer, such as "to 1: 3 eager, 1 RTS".
func (c *WireCounts) String() string {
	var b strings.Builder
	for peer := range c.packets {
		sep := fmt.Sprintf("to %d: ", peer)
		for k := range c.names {
			if n := c.packets[peer][k].Load(); n > 0 {
				fmt.Fprintf(&b, "%s%d %s", sep, n, *c.names[k].Load())
				sep = ", "
			}
		}
		if sep == ", " {
			b.WriteString("; ")
		}
	}
	fmt.Fprintf(&b, "%d puts, %d gets", c.Puts(), c.Gets())
	return b.String()
}
