package native

import (
	"runtime"
	"time"
)

// A Turn yields to Go's scheduler every few milliseconds. The runtime's monitor (sysmon, retake)
// takes the processor away from a goroutine that has run for 10 ms and is found in a cgo call, and
// starts another thread with it, every 20 us, on the core that the rank is pinned to. After 10 ms
// in plain calls (package stackcall) it interrupts the goroutine by a signal. A yield in time
// avoids both. docs/notes/rdma.md has the price.
type Turn struct {
	calls uint32
	last  time.Time
}

const (
	turnCalls = 32 // calls into C between two looks at the clock
	turnEvery = 4 * time.Millisecond
)

// Take must be called after every call into C that may poll.
func (t *Turn) Take() {
	if t.calls++; t.calls%turnCalls == 0 {
		t.look()
	}
}

// look yields unless the last turn is recent.
func (t *Turn) look() {
	if time.Since(t.last) >= turnEvery { // one clock where time.Now reads two
		t.last = time.Now()
		runtime.Gosched()
	}
}
