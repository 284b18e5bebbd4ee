//go:build verbs && cgo

package verbs

import (
	"errors"
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"

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
type memory = rma.Memory[railMemory]

func newMemory(q *queues) memory {
	return rma.NewMemory(registration.New(q.register, (*railMemory).drop), (*railMemory).key)
}

// register registers [start, end) with every rail.
func (q *queues) register(start, end uintptr) (r railMemory, err error) {
	for i, rail := range q.rails {
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

// key returns the remote keys of the rails.
func (r *railMemory) key() (k [2]uint64) {
	for i := range r.n {
		_, rkey := r.rails[i].Keys()
		k[i/2] |= uint64(rkey) << (32 * (i % 2))
	}
	return k
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
