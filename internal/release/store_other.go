//go:build !amd64 || race

package release

import "sync/atomic"

// Store writes v to *p after all earlier loads and stores of this
// goroutine. Go offers nothing weaker than a sequentially consistent store.
func Store(p *uint64, v uint64) { atomic.StoreUint64(p, v) }
