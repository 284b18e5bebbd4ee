package bench

import (
	"bytes"
	"errors"
	"testing"

	"gobench/device"
)

// pipe is a channel that receives what was sent, damaged by spoil.
type pipe struct {
	device.Channel
	queue [][]byte
	spoil func(message int, b []byte)
	sent  int
}

func (p *pipe) Rank() int { return 1 }

func (p *pipe) Send(b []byte, _ int, _, _ int32) error {
	b = bytes.Clone(b)
	p.spoil(p.sent, b)
	p.sent++
	p.queue = append(p.queue, b)
	return nil
}

func (p *pipe) Recv(b []byte, src int, tag, _ int32) (device.Status, error) {
	n := copy(b, p.queue[0])
	p.queue = p.queue[1:]
	return device.Status{Source: src, Tag: tag, Size: n}, nil
}

// Any damaged byte of a control message is reported, and the message is received correctly.
func TestDamagedControlMessagesAreNoticed(t *testing.T) {
	body := []byte(`{"verb":4}`)
	for message, size := range []int{2 * (headSize + sumSize), 2 * (len(body) + sumSize), 2 * (8 + sumSize)} {
		for at := range size {
			p := &pipe{spoil: func(m int, b []byte) {
				if m == message {
					b[at] ^= 0x10
				}
			}}
			l := &link{ch: p, bench: "echo"}
			if err := errors.Join(l.send(0, 7, body), l.sendWord(0, 3, 1<<40)); err != nil {
				t.Fatal(err)
			}
			got, err := l.recv(0, 7)
			if err != nil || !bytes.Equal(got, body) {
				t.Errorf("message %d, byte %d: %q, %v", message, at, got, err)
			}
			if w, err := l.recvWord(0, 3); err != nil || w != 1<<40 {
				t.Errorf("message %d, byte %d: %d, %v", message, at, w, err)
			}
			if d := l.defect; d == nil || !d.Control || d.Rank != 1 || d.Source != 0 || d.Size != size || d.Offset != at%(size/2) || d.Bench != "echo" {
				t.Errorf("message %d, byte %d: %+v", message, at, d)
			}
		}
	}
}

// Without damage nothing is reported. If both copies are damaged, or the frame is of another round,
// the receive fails.
func TestControlMessages(t *testing.T) {
	p := &pipe{spoil: func(int, []byte) {}}
	l := &link{ch: p}
	l.send(0, 7, []byte("body"))
	if got, err := l.recv(0, 7); string(got) != "body" || err != nil || l.defect != nil {
		t.Errorf("%q, %v, %v", got, err, l.defect)
	}
	l.send(0, 7, []byte("body"))
	if _, err := l.recv(0, 8); !errors.Is(err, errOutOfStep) {
		t.Errorf("another round: %v", err)
	}
	p.spoil = func(_ int, b []byte) { b[0] ^= 1; b[len(b)-1] ^= 2 }
	p.queue = nil
	l.sendWord(0, 3, 5)
	var wrong *DataError
	if w, err := l.recvWord(0, 3); !errors.As(err, &wrong) {
		t.Errorf("both copies damaged: %d, %v", w, err)
	}
	p.spoil = func(_ int, b []byte) { b[0] ^= 1; b[8+sumSize] ^= 1 } // the same damage in both
	p.queue = nil
	l.defect = nil
	l.sendWord(0, 3, 5)
	if w, err := l.recvWord(0, 3); err == nil {
		t.Errorf("both copies damaged alike: %d", w)
	}
}
