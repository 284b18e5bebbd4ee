//go:build cgo && (ucx || ofi || mxm)

package tagged

import (
	"testing"

	"gobench/device"
)

// trio is the job of three ranks on one host.
type trio struct{ device.Job }

func (trio) Rank() int    { return 0 }
func (trio) Hosts() []int { return []int{0, 0, 0} }

// A peer is gone if its process is, and not if a process with its id is absent from another PID
// namespace.
func TestWatchAcrossNamespaces(t *testing.T) {
	const absent = 1<<22 + 1 // the kernel gives no process this id
	p := Watch(trio{}, []Process{Self(), {absent, Self().Space}, {absent, "pid:[1]"}})
	defer p.Close()
	if gone, other := p.polled[1].Fd, p.polled[2].Fd; gone != -2 || other != -1 {
		t.Errorf("the process that is gone has %d, want -2; that of another namespace %d, want -1", gone, other)
	}
}
