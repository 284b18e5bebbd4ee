//go:build amd64 && !race

package release

// Store writes v to *p after all earlier loads and stores of this goroutine. On amd64 every plain
// store has this order, while atomic.StoreUint64 is an XCHG, which also waits until the store is
// visible.
//
//go:noescape
func Store(p *uint64, v uint64)
