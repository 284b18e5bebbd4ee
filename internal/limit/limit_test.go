package limit_test

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"gobench/internal/limit"
)

// A limit of the system that keeps ranks from being started is named.
func TestExplain(t *testing.T) {
	for errno, want := range map[syscall.Errno]string{
		syscall.EAGAIN: "ulimit -u", syscall.EMFILE: "ulimit -Hn", syscall.ENFILE: "fs.file-max", syscall.ENOMEM: "ulimit -v",
		syscall.ENOSPC: "memory is used up", syscall.EFBIG: "ulimit -f",
	} {
		if err := limit.Explain(fmt.Errorf("fork: %w", errno)); !errors.Is(err, errno) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %s", errno, err, want)
		}
	}
	if err := limit.Explain(syscall.ENOENT); err != syscall.ENOENT {
		t.Errorf("another error becomes %v", err)
	}
}
