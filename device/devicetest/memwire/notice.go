package memwire

import "gobench/device/protocol"

// noticeMark is the first word of a packet that stands for a notice; no protocol packet has it.
const noticeMark = 1<<64 - 1

// Notifies implements protocol.Notifier.
func (x *wire) Notifies() bool { return x.world.Notices }

// Notice hands word to the peer like a packet.
func (x *wire) Notice(peer int, word uint32) bool {
	return x.Push(peer, protocol.Header{W0: noticeMark, W2: uint64(word)}, nil)
}

// PutNotice starts a Put if there is room for the notice behind it.
func (x *wire) PutNotice(peer int, dst protocol.Key, offset int, src []byte, srcKey protocol.Key, token uint64, word uint32) protocol.Started {
	w := x.world
	w.Lock()
	full := w.queues[peer][x.rank].full()
	w.Unlock()
	if full {
		return protocol.Busy
	}
	s := x.Put(peer, dst, offset, src, srcKey, token)
	for s != protocol.Busy && !x.Notice(peer, word) {
		// There is room: Push refuses by chance only.
	}
	return s
}

// deliver hands a packet or a notice to the sink.
func deliver(sink protocol.Sink, src int, h protocol.Header, data []byte) {
	if h.W0 == noticeMark {
		sink.Notice(src, uint32(h.W2))
		return
	}
	sink.Packet(src, h, data)
}
