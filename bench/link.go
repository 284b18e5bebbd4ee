package bench

import (
	"fmt"

	"gobench/device"
)

// controlTag is the tag of control messages (level raw ignores it).
const controlTag int32 = 1

// link carries frames between rank 0 and the others.
type link struct {
	ch     device.Channel
	bench  string // named in defects; "start" before the first cell
	head   [2 * headSize]byte
	word   [wordSize]byte
	out    []byte
	in     []byte
	defect *DataError // first spoiled byte seen here
}

func (l *link) send(dst int, round uint64, body []byte) error {
	putHead(l.head[:], round, body)
	if err := l.ch.Send(l.head[:], dst, controlTag, controlContext); err != nil {
		return err
	}
	if len(body) == 0 {
		return nil
	}
	l.out = append(append(l.out[:0], body...), body...)
	return l.ch.Send(l.out, dst, controlTag, controlContext)
}

// recv returns the body of the next frame of src, valid until the next call.
// An error is fatal: without control messages there is no agreement.
func (l *link) recv(src int, round uint64) ([]byte, error) {
	if _, err := l.ch.Recv(l.head[:], src, controlTag, controlContext); err != nil {
		return nil, err
	}
	h, wrong, ok := getHead(l.head[:])
	if wrong >= 0 {
		l.spoiled(src, round, l.head[:headSize], l.head[headSize:], wrong)
	}
	if !ok {
		return nil, fmt.Errorf("the head of a control message from rank %d is unreadable: %w", src, l.fatal())
	}
	if h.round != round {
		return nil, fmt.Errorf("rank %d: %w", src, errOutOfStep)
	}
	if h.length == 0 {
		return nil, nil
	}
	if cap(l.in) < 2*h.length {
		l.in = make([]byte, 2*h.length)
	}
	b := l.in[:2*h.length]
	if _, err := l.ch.Recv(b, src, controlTag, controlContext); err != nil {
		return nil, err
	}
	body, wrong, ok := wholeCopy(b, h.sum)
	if wrong >= 0 {
		l.spoiled(src, round, b[:h.length], b[h.length:], wrong)
	}
	if !ok {
		return nil, fmt.Errorf("a control message from rank %d is unreadable: %w", src, l.fatal())
	}
	return body, nil
}

// spoiled remembers the first defect. Which of the copies is wrong does not
// matter.
func (l *link) spoiled(src int, round uint64, a, b []byte, at int) {
	if l.defect == nil {
		l.defect = &DataError{
			Bench: l.bench, Size: 2 * len(a), Rank: l.ch.Rank(), Source: src,
			Offset: at, Want: a[at], Got: b[at], Iteration: round, Control: true,
		}
	}
}

func (l *link) fatal() error {
	if l.defect != nil {
		return l.defect
	}
	return errOutOfStep
}
