//go:build verbs && cgo

package ibv

// #include <stdlib.h>
// #include "rail.h"
import "C"

import "unsafe"

// Traits are capabilities of a device, as reported by its driver.
type Traits struct {
	XRC          bool
	Atomics      Atomicity
	Groups       int  // of multicast; 0: none
	Members      int  // queue pairs of each
	Checksums    bool // of IP packets, computed by the device for UD or connected queue pairs
	RawChecksums bool // for raw packets
	Windows      bool // memory windows
	Segmentation int  // largest TCP packet that the device segments (TSO), in bytes; 0: none
	Spreading    bool // of received packets over queues by a hash (RSS)
	Paging       bool // on demand: memory need not be pinned (ODP)
	Tags         int  // receives that the device matches by tag at a time; 0: none
}

// Atomicity is the scope within which the atomic operations of a device are atomic.
type Atomicity int

// The scopes.
const (
	NoAtomics     Atomicity = C.IBV_ATOMIC_NONE
	DeviceAtomics Atomicity = C.IBV_ATOMIC_HCA  // among operations of this device
	GlobalAtomics Atomicity = C.IBV_ATOMIC_GLOB // also with operations of processors
)

// QueryTraits opens a device by name and queries it.
func QueryTraits(device string) (Traits, error) {
	name := C.CString(device)
	defer C.free(unsafe.Pointer(name))
	var t C.struct_traits
	var e C.int
	if what := C.gb_traits(name, &t, &e); what != nil {
		return Traits{}, failed(what, e)
	}
	return Traits{
		XRC: t.xrc != 0, Atomics: Atomicity(t.atomics), Groups: int(t.groups), Members: int(t.members),
		Checksums: t.checksums != 0, RawChecksums: t.raw_checksums != 0, Windows: t.windows != 0,
		Segmentation: int(t.segmentation), Spreading: t.spreading != 0, Paging: t.paging != 0, Tags: int(t.tags),
	}, nil
}
