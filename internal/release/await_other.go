//go:build !amd64 || race

package release

import "sync/atomic"

// Await polls *p at least once and at most polls times until it is want, and reports whether it is.
func Await(p *uint64, want uint64, polls int) bool {
	for ; ; polls-- {
		if atomic.LoadUint64(p) == want {
			return true
		}
		if polls <= 1 {
			return false
		}
	}
}
