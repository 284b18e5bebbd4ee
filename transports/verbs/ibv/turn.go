//go:build verbs && cgo

package ibv

import (
	"runtime"
	"time"
)

// turn yields to Go's scheduler every few milliseconds. The runtime's monitor (sysmon, retake)
// takes the processor away from a goroutine that has run for 10 ms and is found in a cgo call, and
// starts another thread with it, every 20 us, on the core that the rank is pinned to. After 10 ms
// in plain calls (package stackcall) it interrupts the goroutine by a signal. A yield in time
// avoids both. docs/notes/rdma.md has the price.
type turn struct {
	calls uint32
	last  time.Time
}

const (
	turnCalls = 32 // calls into C between two looks at the clock
	turnEvery = 4 * time.Millisecond
)

func (t *turn) take() {
	if t.calls++; t.calls%turnCalls != 0 {
		return
	}
	if now := time.Now(); now.Sub(t.last) >= turnEvery {
		t.last = now
		runtime.Gosched()
	}
}
