//go:build !amd64 || race

package release

import (
	"sync/atomic"
	"unsafe"
)

// Store writes v to *p after all earlier loads and stores of this
// goroutine. Go offers nothing weaker than a sequentially consistent store.
func Store(p *uint64, v uint64) { atomic.StoreUint64(p, v) }

// StoreNext is Store: a prefetch changes nothing but the speed.
func StoreNext(p *uint64, v uint64, _ unsafe.Pointer) { Store(p, v) }
