package host

import (
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// The clock of a thread, which needs no counter of the processor, grows while the thread computes.
func TestThreadCounter(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	c := OpenThreadCounter(unix.PERF_TYPE_SOFTWARE, unix.PERF_COUNT_SW_TASK_CLOCK)
	if c == nil {
		t.Skip("SKIPPED: this system forbids perf_event_open")
	}
	defer c.Close()
	before := c.Read()
	for range 1000 {
		unix.Getpid()
	}
	if after := c.Read(); before <= 0 || after <= before {
		t.Errorf("%d ns before, %d ns after", before, after)
	}
	if c := OpenThreadCounter(unix.PERF_TYPE_SOFTWARE, 1<<40); c != nil || c.Read() != 0 {
		t.Error("a counter that does not exist counts")
	}
}

func TestInterrupts(t *testing.T) {
	const text = "            CPU0       CPU2\n  1:         10         20  IO-APIC   1-edge      i8042 7\nERR:          5\nLOC:        100        200   Local timer interrupts\n"
	for core, want := range map[int]int64{0: 110, 1: 0, 2: 220, 3: 0} {
		if got := interrupts(text, core); got != want {
			t.Errorf("core %d: %d interrupts, want %d", core, got, want)
		}
	}
	for _, bad := range []string{"", "\n", "CPU0\n1:\n", "CPU0\n1: x\n", "CPU0\nERR: 5\n"} {
		if got := interrupts(bad, 0); got != 0 {
			t.Errorf("%q: %d interrupts", bad, got)
		}
	}
}
