package sockets

import (
	"os"
	"syscall"
	"testing"
)

// A time-out over the loopback interface of a busy host is tried again, one that is down is not.
func TestLoopbackTimeout(t *testing.T) {
	over := target{to: "127.0.0.1:1"}
	if why := over.Final(os.ErrDeadlineExceeded); why != "" {
		t.Errorf("a time-out is final: %s", why)
	}
	if why := over.Final(syscall.ENETUNREACH); why == "" {
		t.Error("an interface that is down is tried again")
	}
}
