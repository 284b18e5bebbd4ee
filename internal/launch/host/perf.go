package host

import (
	"encoding/binary"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A ThreadCounter counts events of the thread that opened it, in user mode. Nil counts nothing.
type ThreadCounter struct{ fd int }

// OpenThreadCounter returns a counter of perf_event_open by its type and configuration, such as
// unix.PERF_TYPE_HARDWARE and unix.PERF_COUNT_HW_INSTRUCTIONS, for the calling thread, which must
// be locked to its goroutine. It returns nil if there is none: many virtual machines hide the
// counters of the processor, and /proc/sys/kernel/perf_event_paranoid may forbid them. A counter
// that the processor would have to share with others counts nothing, in place of a part.
func OpenThreadCounter(kind uint32, config uint64) *ThreadCounter {
	attr := unix.PerfEventAttr{Type: kind, Size: uint32(unsafe.Sizeof(unix.PerfEventAttr{})), Config: config, Bits: unix.PerfBitPinned | unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv}
	fd, err := unix.PerfEventOpen(&attr, 0, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil {
		return nil
	}
	return &ThreadCounter{fd}
}

// Read returns the events so far, 0 if they cannot be read.
func (c *ThreadCounter) Read() int64 {
	var count [8]byte
	if c == nil {
		return 0
	}
	if n, err := unix.Read(c.fd, count[:]); err != nil || n != len(count) {
		return 0
	}
	return int64(binary.NativeEndian.Uint64(count[:]))
}

// Close ends the counter.
func (c *ThreadCounter) Close() {
	if c != nil {
		unix.Close(c.fd)
	}
}
