package comm

import (
	"fmt"
	"sync/atomic"
)

// A Partitioned is a persistent message in parts, each of which is sent when it is ready, like the
// partitioned communication of MPI 4. The parts are messages with successive tags, from that of the
// message on, which nothing else between the two ranks may use. Both ranks divide alike: part i of
// n elements in k parts is from element i n / k to (i+1) n / k.
//
// After Comm.Multiple several goroutines may call Ready and Arrived, each for parts of its own.
type Partitioned struct {
	parts   []Request
	send    bool
	started atomic.Bool  // a send, since Start
	ready   atomic.Int64 // parts of a send since Start
}

// PsendInit creates a partitioned send. It is inactive until Start.
func PsendInit[T Type](c *Comm, data []T, parts, dst, tag int) (*Partitioned, error) {
	return partition(data, parts, true, func(i int, data []T) (Request, error) { return SendInit(c, data, dst, tag+i) })
}

// PrecvInit creates a partitioned receive. It is inactive until Start.
func PrecvInit[T Type](c *Comm, data []T, parts, src, tag int) (*Partitioned, error) {
	if src == AnySource || tag == AnyTag {
		return nil, &ArgumentError{"precv", "the source or tag", min(src, tag), "a rank and a tag: parts of several messages would mix"}
	}
	return partition(data, parts, false, func(i int, data []T) (Request, error) { return RecvInit(c, data, src, tag+i) })
}

func partition[T Type](data []T, parts int, send bool, request func(i int, data []T) (Request, error)) (*Partitioned, error) {
	if parts < 1 {
		return nil, &ArgumentError{"partitioned", "the number of parts", parts, "1 or more"}
	}
	p := &Partitioned{parts: make([]Request, parts), send: send}
	for i := range p.parts {
		var err error
		if p.parts[i], err = request(i, data[i*len(data)/parts:(i+1)*len(data)/parts]); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Start begins a message, after the Wait for the one before.
func (p *Partitioned) Start() error {
	if p.send {
		if p.started.Swap(true) {
			return ErrActive
		}
		p.ready.Store(0)
		return nil
	}
	return StartAll(p.parts)
}

// Ready sends part i of a send. Until Wait, the part must not be written.
func (p *Partitioned) Ready(i int) error {
	if err := p.check("ready", i); err != nil {
		return err
	}
	if !p.started.Load() {
		return &ArgumentError{"ready", "the part", i, "a part after Start"}
	}
	if err := p.parts[i].Start(); err != nil {
		return err
	}
	p.ready.Add(1)
	return nil
}

// Arrived reports whether part i of a receive has arrived, true without a Start.
func (p *Partitioned) Arrived(i int) (bool, error) {
	if err := p.check("arrived", i); err != nil {
		return false, err
	}
	_, done, err := p.parts[i].Test()
	return done, err
}

func (p *Partitioned) check(op string, i int) error {
	if uint(i) >= uint(len(p.parts)) || p.send != (op == "ready") {
		return &ArgumentError{op, "the part", i, fmt.Sprintf("0..%d, of a send for Ready, of a receive for Arrived", len(p.parts)-1)}
	}
	return nil
}

// Wait waits for all parts. Those of a send must be ready.
func (p *Partitioned) Wait() error {
	if n := int(p.ready.Load()); p.send && n != len(p.parts) {
		return &ArgumentError{"wait", "the number of parts that are ready", n, fmt.Sprint(len(p.parts))}
	}
	p.started.Store(false)
	return WaitAll(p.parts, nil)
}
