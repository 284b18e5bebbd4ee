package protocol

import "encoding/binary"

// The data of control packets, little endian.

// rts announces a rendezvous: size of the message, and the sender's buffer if
// a peer may read it.
type rts struct {
	size  uint64
	keyed bool
	key   Key
}

const rtsSize = 8 + 1 + 32

func (m rts) encode(b *[64]byte) []byte {
	binary.LittleEndian.PutUint64(b[0:], m.size)
	b[8] = 0
	if m.keyed {
		b[8] = 1
	}
	putKey(b[9:], m.key)
	return b[:rtsSize]
}

func decodeRTS(b []byte) (rts, bool) {
	if len(b) != rtsSize || b[8] > 1 {
		return rts{}, false
	}
	m := rts{size: binary.LittleEndian.Uint64(b), keyed: b[8] == 1, key: getKey(b[9:])}
	return m, m.size < 1<<62
}

// cts clears the sender to move bytes at..until of the message to the
// receiver's request, in packets (Pipeline) or by writing to key.
type cts struct {
	method    Method
	at, until uint64
	request   uint64
	key       Key
}

const ctsSize = 1 + 8 + 8 + 8 + 32

func (m cts) encode(b *[64]byte) []byte {
	b[0] = byte(m.method)
	binary.LittleEndian.PutUint64(b[1:], m.at)
	binary.LittleEndian.PutUint64(b[9:], m.until)
	binary.LittleEndian.PutUint64(b[17:], m.request)
	putKey(b[25:], m.key)
	return b[:ctsSize]
}

func decodeCTS(b []byte) (cts, bool) {
	if len(b) != ctsSize || b[0] > byte(Split) {
		return cts{}, false
	}
	return cts{
		method:  Method(b[0]),
		at:      binary.LittleEndian.Uint64(b[1:]),
		until:   binary.LittleEndian.Uint64(b[9:]),
		request: binary.LittleEndian.Uint64(b[17:]),
		key:     getKey(b[25:]),
	}, true
}

func putKey(b []byte, k Key) {
	for i, word := range k {
		binary.LittleEndian.PutUint64(b[8*i:], word)
	}
}

func getKey(b []byte) (k Key) {
	for i := range k {
		k[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return k
}
