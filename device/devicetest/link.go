package devicetest

import (
	"bufio"
	"encoding/binary"
	"io"
	"sync"
)

// Frames between a forked rank and the test.
const (
	frameBlob   = 'b' // a rank's blob; the answer is one frame for every rank
	frameKill   = 'k' // the rank asks to be killed
	frameResult = 'r' // what the rule found; empty if it holds

	frameOrders = 'o' // the next rule; also the first one, for the process that forks a rank elsewhere

	// Between the test and the process that has forked a rank elsewhere.
	frameEnd = 'e' // the status of the rank's end
)

// link is one end of the connection between a forked rank and the test. Writes
// may come from several goroutines (the watchdog's is one).
type link struct {
	sync.Mutex
	conn io.ReadWriteCloser
	in   *bufio.Reader
}

func newLink(c io.ReadWriteCloser) *link { return &link{conn: c, in: bufio.NewReader(c)} }

// write sends one frame. It reports no error: read finds out that the other side has ended.
func (l *link) write(kind byte, data []byte) {
	l.Lock()
	defer l.Unlock()
	frame := append(binary.LittleEndian.AppendUint32([]byte{kind}, uint32(len(data))), data...)
	l.conn.Write(frame)
}

func (l *link) read() (kind byte, data []byte, err error) {
	var head [5]byte
	if _, err := io.ReadFull(l.in, head[:]); err != nil {
		return 0, nil, err
	}
	data = make([]byte, binary.LittleEndian.Uint32(head[1:]))
	_, err = io.ReadFull(l.in, data)
	return head[0], data, err
}
