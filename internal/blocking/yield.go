package blocking

import (
	"runtime"
	"syscall"
)

// Yield lets another process run on this processor, and with goroutines another goroutine of this
// process. Yielding to a goroutine costs a goroutine that is locked to its thread two thread
// switches and sometimes a new thread, far more than a message takes, and two ranks that wait for
// each other like that would stay slow. So goroutines is set only where what is waited for may be
// another goroutine of this process.
func Yield(goroutines bool) {
	if goroutines {
		runtime.Gosched()
	}
	syscall.RawSyscall(syscall.SYS_SCHED_YIELD, 0, 0, 0)
}
