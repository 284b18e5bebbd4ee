package sim

import (
	"fmt"

	"gobench/comm/schedule"
)

// memory is one buffer of one rank, with the state of each byte.
type memory struct {
	data    []byte
	written []bool
	busy    []int32 // -1 during a receive, n during n sends
}

func newMemory(n int) memory {
	return memory{make([]byte, n), make([]bool, n), make([]int32, n)}
}

// over returns the memory of a buffer of the caller.
func over(data []byte) memory {
	m := newMemory(len(data))
	m.data = data
	return m
}

// read checks that a part may be read.
func (m *memory) read(p schedule.Mem) error {
	if p.Off < 0 || p.Len < 0 || p.Off+p.Len > len(m.data) {
		return fmt.Errorf("%d bytes at %d are outside a buffer of %d", p.Len, p.Off, len(m.data))
	}
	for i := p.Off; i < p.Off+p.Len; i++ {
		switch {
		case !m.written[i]:
			return fmt.Errorf("byte %d of buffer %d is read before it was written", i, p.Buffer)
		case m.busy[i] < 0:
			return fmt.Errorf("byte %d of buffer %d is read while a message is being received there", i, p.Buffer)
		}
	}
	return nil
}

// write checks that a part may be written.
func (m *memory) write(p schedule.Mem) error {
	if p.Off < 0 || p.Len < 0 || p.Off+p.Len > len(m.data) {
		return fmt.Errorf("%d bytes at %d are outside a buffer of %d", p.Len, p.Off, len(m.data))
	}
	if p.Buffer == schedule.SendBuffer && p.Len > 0 {
		return fmt.Errorf("the caller's input is written to")
	}
	for i := p.Off; i < p.Off+p.Len; i++ {
		if m.busy[i] != 0 {
			return fmt.Errorf("byte %d of buffer %d is written while it is being transferred", i, p.Buffer)
		}
	}
	return nil
}

func (m *memory) at(p schedule.Mem) []byte { return m.data[p.Off : p.Off+p.Len] }

// mark adds by to the busy counts of a part, at the begin and the end of a transfer.
func (m *memory) mark(p schedule.Mem, by int32) {
	for i := p.Off; i < p.Off+p.Len; i++ {
		m.busy[i] += by
	}
}

func (m *memory) wrote(p schedule.Mem) {
	for i := p.Off; i < p.Off+p.Len; i++ {
		m.written[i] = true
	}
}
