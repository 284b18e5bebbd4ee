//go:build !amd64 || race

package smem

import "sync/atomic"

// storeRelease writes v to *p after all earlier loads and stores of this
// goroutine. Go offers nothing weaker than a sequentially consistent store.
func storeRelease(p *uint64, v uint64) { atomic.StoreUint64(p, v) }
