//go:build gni && cgo

package gni

import (
	"errors"
	"fmt"

	"gobench/device/protocol"
	"gobench/transports/gni/ugni"
	"gobench/transports/native/registration"
	"gobench/transports/native/rma"
)

// keyMemory returns the handle of the library in the second half of a key.
func keyMemory(k protocol.Key) ugni.Memory { return ugni.Memory{k[2], k[3]} }

// memory is the registered memory of a rank.
type memory struct {
	*registration.Table[ugni.Memory]
}

// grain is the unit of GET, in bytes: it may read beyond both ends of a buffer, to whole units.
const grain = 4

func newMemory(l *links) memory {
	return memory{registration.New(
		func(start, end uintptr) (ugni.Memory, error) {
			start, end = start&^(grain-1), (end+grain-1)&^(grain-1)
			m, err := l.nic.Register(start, end-start)
			if err != nil {
				return m, explainRegistration(int(end-start), err)
			}
			return m, nil
		},
		func(m *ugni.Memory) { l.nic.Deregister(*m) })}
}

func explainRegistration(n int, err error) error {
	var call *ugni.Error
	if errors.As(err, &call) && call.Exhausted() {
		return fmt.Errorf("registering %d bytes: %w: the NIC has no more of its memory descriptors; take a smaller reg_cache, or larger pages", n, err)
	}
	return fmt.Errorf("registering %d bytes: %w", n, err)
}

// keep switches the cache on: option reg_cache.
func (m memory) keep(limit int) error {
	if err := m.Keep(limit); err != nil {
		return unavailable("reg_cache: "+err.Error(), "take reg_cache=0")
	}
	return nil
}

// Register implements protocol.RMA.
func (m memory) Register(buf []byte) (protocol.Key, error) {
	r, err := m.Take(buf)
	if err != nil {
		return protocol.Key{}, err
	}
	k := rma.NewKey(buf, r.Handle)
	k[2], k[3] = r.Memory[0], r.Memory[1]
	return k, nil
}

// Deregister implements protocol.RMA.
func (m memory) Deregister(k protocol.Key) { m.Release(rma.Handle(k)) }
