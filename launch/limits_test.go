package launch

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"gobench/device"
)

// A limit of the system that keeps ranks from being started is named.
func TestExhausted(t *testing.T) {
	for errno, want := range map[syscall.Errno]string{
		syscall.EAGAIN: "ulimit -u", syscall.EMFILE: "ulimit -Hn", syscall.ENFILE: "fs.file-max", syscall.ENOMEM: "memory is used up",
	} {
		if err := exhausted(fmt.Errorf("fork: %w", errno)); !errors.Is(err, errno) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %s", errno, err, want)
		}
	}
	if err := exhausted(syscall.ENOENT); err != syscall.ENOENT {
		t.Errorf("another error becomes %v", err)
	}
}

// The error of a lost rank has the name of its host where there are several.
func TestLostRankHasHost(t *testing.T) {
	for _, c := range []struct {
		on    []int
		hosts []string
		want  string
	}{
		{[]int{0, 1}, []string{"a", "b"}, "rank 1 on b is lost: gone"},
		{[]int{0, 0}, []string{"a"}, "rank 1 is lost: gone"},
		{nil, nil, "rank 1 is lost: gone"},
	} {
		r := &Rank{rank: 0, size: 2, on: c.on, hosts: c.hosts}
		if got := r.named(&device.PeerError{Rank: 1, Cause: "gone"}).Error(); got != c.want {
			t.Errorf("hosts %v: %s, want %s", c.hosts, got, c.want)
		}
		if r.named(nil) != nil {
			t.Error("an error without any")
		}
	}
}

// What --node gives is checked before anything is started.
func TestMeetingCheck(t *testing.T) {
	for node, right := range map[string]bool{"": true, "0/2": true, "1/2": true, "5/2": false, "2": false, "-1/2": false, "a/b": false, "0/0": false} {
		if err := (Meeting{Node: node}).Check(); (err == nil) != right {
			t.Errorf("--node=%s: %v", node, err)
		}
	}
}
