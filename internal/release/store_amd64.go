//go:build amd64 && !race

package release

// Store writes v to *p after all earlier loads and stores of this
// goroutine. On amd64 that is what every plain store does, while
// atomic.StoreUint64 is an XCHG, which also waits until the store is visible.
//
//go:noescape
func Store(p *uint64, v uint64)
