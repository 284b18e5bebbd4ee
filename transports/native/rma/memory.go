//go:build cgo && (verbs || gni)

package rma

import (
	"gobench/device"
	"gobench/device/protocol"
	"gobench/transports/native/registration"
)

// Memory is the registered memory of a rank: a table with the calls of protocol.RMA. M describes
// registered memory, as the network returns it.
type Memory[M any] struct {
	*registration.Table[M]
	key func(*M) [2]uint64
}

// NewMemory returns memory over a table. key returns the network's half of a key.
func NewMemory[M any](t *registration.Table[M], key func(*M) [2]uint64) Memory[M] {
	return Memory[M]{t, key}
}

// Cache switches the cache on, by the value of option reg_cache of a transport.
func (m Memory[M]) Cache(transport string, limit int) error {
	if err := m.Keep(limit); err != nil {
		return &device.UnavailableError{Transport: transport, Reason: "reg_cache: " + err.Error(), Remedy: "take reg_cache=0"}
	}
	return nil
}

// Register implements protocol.RMA.
func (m Memory[M]) Register(buf []byte) (protocol.Key, error) {
	r, err := m.Take(buf)
	if err != nil {
		return protocol.Key{}, err
	}
	k, network := newKey(buf, r.Handle), m.key(&r.Memory)
	k[2], k[3] = network[0], network[1]
	return k, nil
}

// Deregister implements protocol.RMA.
func (m Memory[M]) Deregister(k protocol.Key) { m.Release(Handle(k)) }
