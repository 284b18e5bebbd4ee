//go:build verbs && cgo

package ibv

import (
	"runtime"
	"time"
)

// turn gives Go's scheduler a turn now and then. A goroutine that has had none for 10 ms and is found in C is taken for
// stuck: the runtime's monitor (sysmon, retake) then takes its processor away and starts another thread for that, every
// 20 us as long as it goes on, on the very core that the rank is pinned to. In the virtual machine of the
// tests that cost a third more instructions of the kernel for each message.
// Plain calls (package stackcall) do not count as that, but then the runtime interrupts by a signal after 10 ms, which a turn
// in time saves as well.
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
