package bench

import "encoding/binary"

// wordSize is the length of a number on its way: twice itself and its complement.
const wordSize = 32

// putWord writes a number so that one wrong byte is seen and does no harm: a start at
// a wild time would hang the ranks, and a wild clock spoil what it times.
func putWord(b *[wordSize]byte, w uint64) {
	binary.LittleEndian.PutUint64(b[0:], w)
	binary.LittleEndian.PutUint64(b[8:], ^w)
	binary.LittleEndian.PutUint64(b[16:], w)
	binary.LittleEndian.PutUint64(b[24:], ^w)
}

// getWord reads what putWord wrote from the copy that is whole. wrong is the offset of a
// byte that the two copies disagree in, or -1; ok is false if no copy is whole.
func getWord(b *[wordSize]byte) (w uint64, wrong int, ok bool) {
	wrong = firstDifference(b[:wordSize/2], b[wordSize/2:])
	for at := 0; at < wordSize; at += wordSize / 2 {
		w = binary.LittleEndian.Uint64(b[at:])
		if w == ^binary.LittleEndian.Uint64(b[at+8:]) {
			return w, wrong, true
		}
	}
	return 0, wrong, false
}

// sendWord and recvWord carry one number outside of rounds. They allocate nothing.
func (l *link) sendWord(dst int, tag int32, w uint64) error {
	putWord(&l.word, w)
	return l.ch.Send(l.word[:], dst, tag, controlContext)
}

func (l *link) recvWord(src int, tag int32) (uint64, error) {
	if _, err := l.ch.Recv(l.word[:], src, tag, controlContext); err != nil {
		return 0, err
	}
	w, wrong, ok := getWord(&l.word)
	if wrong >= 0 {
		l.spoiled(src, 0, l.word[:wordSize/2], l.word[wordSize/2:], wrong)
	}
	if !ok {
		return 0, l.fatal()
	}
	return w, nil
}
