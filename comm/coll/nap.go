package coll

import (
	"time"

	"golang.org/x/sys/unix"
)

// nap sleeps for some microseconds. time.Sleep rounds what is less than a
// millisecond up to one where all of Go's processors are idle (netpoll waits in milliseconds).
func nap(d time.Duration) {
	t := unix.NsecToTimespec(int64(d))
	unix.Nanosleep(&t, nil)
}

// sharpNaps makes the calling thread's naps exact to a microsecond instead of the
// usual fifty.
func sharpNaps() {
	unix.Prctl(unix.PR_SET_TIMERSLACK, 1000, 0, 0, 0)
}
