package fork

import (
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"gobench/internal/launch/host"
)

// A user who may not have the threads of the ranks is told so before any is started.
func TestFewProcesses(t *testing.T) {
	if err := fewProcesses(64, 60); err == nil || !strings.Contains(err.Error(), "64 ranks need at least 512 processes and threads, and this user may have 60: raise the limit (ulimit -u)") {
		t.Errorf("64 ranks where 60 processes are allowed: %v", err)
	}
	for _, allowed := range []uint64{512, unix.RLIM_INFINITY} {
		if err := fewProcesses(64, allowed); err != nil {
			t.Errorf("64 ranks where %d processes are allowed: %v", allowed, err)
		}
	}
}

// A control group without room for the ranks is named before any is started.
func TestLittleRoom(t *testing.T) {
	want := "2 ranks need at least 22 more processes and threads, and the control group /job may have 21 more: raise its limit, which is 30 (pids.max), or start fewer ranks (np)"
	if err := littleRoom(2, host.Room{Free: 21, Limit: 30, Group: "/job"}); err == nil || err.Error() != want {
		t.Errorf("2 ranks where 21 more are allowed: %v, want %s", err, want)
	}
	if err := littleRoom(2, host.Room{Free: 22, Limit: 30}); err != nil {
		t.Errorf("2 ranks where 22 more are allowed: %v", err)
	}
}
