//go:build verbs && cgo

package verbs

import (
	"errors"
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"

	"gobench/device/protocol"
	"gobench/transports/native/registration"
	"gobench/transports/native/rma"
	"gobench/transports/verbs/ibv"
)

func address(b []byte) uintptr { return registration.Address(b) }

// railMemory is memory that is registered with every rail.
type railMemory struct {
	rails [maxRails]ibv.Memory
	n     int // rails in use
}

// memory is the registered memory of a rank.
type memory struct {
	*registration.Table[railMemory]
	q *queues
}

func newMemory(q *queues) memory {
	m := memory{q: q}
	m.Table = registration.New(m.register, (*railMemory).drop)
	return m
}

// register registers [start, end) with every rail.
func (m *memory) register(start, end uintptr) (r railMemory, err error) {
	for i, rail := range m.q.rails {
		k, err := rail.Register(start, end-start)
		if err != nil {
			r.drop()
			return r, explainRegistration(int(end-start), err)
		}
		r.rails[i] = k
		r.n++
	}
	return r, nil
}

func (r *railMemory) drop() {
	for i := range r.n {
		r.rails[i].Deregister()
	}
	r.n = 0
}

func explainRegistration(n int, err error) error {
	return fmt.Errorf("registering %d bytes: %w", n, explainLocked(err))
}

// explainLocked adds the limit of locked memory, which registered memory and, with many adapters,
// queues are charged to.
func explainLocked(err error) error {
	var call *ibv.CallError
	if errors.As(err, &call) && (call.Errno == syscall.ENOMEM || call.Errno == syscall.EPERM) {
		var l unix.Rlimit
		if unix.Getrlimit(unix.RLIMIT_MEMLOCK, &l) == nil && l.Cur != unix.RLIM_INFINITY {
			return fmt.Errorf("%w; registered memory counts against the limit of locked memory (ulimit -l), which is %d bytes: raise it", err, l.Cur)
		}
	}
	return err
}

// keep switches the cache on: option reg_cache.
func (m *memory) keep(limit int) error {
	if err := m.Keep(limit); err != nil {
		return unavailable("reg_cache: "+err.Error(), "take reg_cache=0")
	}
	return nil
}

// Register implements protocol.RMA.
func (m *memory) Register(buf []byte) (protocol.Key, error) {
	r, err := m.Take(buf)
	if err != nil {
		return protocol.Key{}, err
	}
	return key(buf, r), nil
}

// Deregister implements protocol.RMA.
func (m *memory) Deregister(k protocol.Key) { m.Release(rma.Handle(k)) }
