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
type memory = rma.Memory[ugni.Memory]

// grain is the unit of GET, in bytes: it may read beyond both ends of a buffer, to whole units.
const grain = 4

func newMemory(l *links) memory {
	return rma.NewMemory(registration.New(
		func(start, end uintptr) (ugni.Memory, error) {
			start, end = start&^(grain-1), (end+grain-1)&^(grain-1)
			m, err := l.nic.Register(start, end-start)
			if err != nil {
				return m, explainRegistration(int(end-start), err)
			}
			return m, nil
		},
		func(m *ugni.Memory) { l.nic.Deregister(*m) }),
		func(m *ugni.Memory) [2]uint64 { return *m })
}

func explainRegistration(n int, err error) error {
	var call *ugni.Error
	if errors.As(err, &call) && call.Exhausted() {
		return fmt.Errorf("registering %d bytes: %w: the NIC has no more of its memory descriptors; take a smaller reg_cache, or larger pages", n, err)
	}
	return fmt.Errorf("registering %d bytes: %w", n, err)
}
