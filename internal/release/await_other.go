//go:build !amd64 || race

package release

import "sync/atomic"

// loads is the number of loads of one poll, which take about as long as a load and PAUSE.
const loads = 20

// Await polls *p at least once and at most polls times until it is want, and reports whether it is.
func Await(p *uint64, want uint64, polls int) bool {
	for range loads * max(polls, 1) {
		if atomic.LoadUint64(p) == want {
			return true
		}
	}
	return false
}
