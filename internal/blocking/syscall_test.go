package blocking

import (
	"runtime"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// A call waits, other goroutines run meanwhile though there is one processor, memory is collected,
// and the errors of the kernel come back.
func TestSyscall6(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var runs int
	ended, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-ended:
				return
			default:
				runs++
				runtime.GC()
			}
		}
	}()
	for range 20 {
		wait := new(syscall.Timespec)
		*wait = syscall.NsecToTimespec(int64(2 * Long))
		begin := time.Now()
		_, _, errno := Syscall6(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(wait)), 0, 0, 0, 0, 0)
		if took := time.Since(begin); errno == 0 && took < 2*Long {
			t.Fatalf("a sleep of %v took %v", 2*Long, took)
		} else if errno != 0 && errno != syscall.EINTR {
			t.Fatal(errno)
		}
	}
	close(ended)
	<-stopped
	if runs == 0 {
		t.Error("no other goroutine ran during the sleeps")
	}
	if _, _, errno := Syscall6(syscall.SYS_NANOSLEEP, 0, 0, 0, 0, 0, 0); errno != syscall.EFAULT {
		t.Errorf("a sleep of no address: %v, want %v", errno, syscall.EFAULT)
	}
}
