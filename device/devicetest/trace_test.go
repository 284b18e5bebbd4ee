package devicetest

import (
	"strings"
	"testing"

	"gobench/device"
	"gobench/internal/allocs"
	"gobench/internal/device/decorator"
)

// answers is a device whose calls return what a test has prepared.
type answers struct {
	device.Device
	status device.Status
	err    error
	block  chan bool // Recv waits for it
}

const answered = device.Request(0x100000001)

func (a *answers) Send([]byte, int, int32, int32) error { return nil }
func (a *answers) Irecv([]byte, int, int32, int32) (device.Request, error) {
	return answered, nil
}
func (a *answers) Test(device.Request) (device.Status, bool, error) { return a.status, false, nil }
func (a *answers) Wait(device.Request) (device.Status, error)       { return a.status, a.err }
func (a *answers) Iprobe(int, int32, int32) (device.Status, bool, error) {
	return a.status, false, nil
}

func (a *answers) Recv([]byte, int, int32, int32) (device.Status, error) {
	<-a.block
	return a.status, a.err
}

func TestTraceRecordsCalls(t *testing.T) {
	inner, recorded := &answers{}, newTrace(5)
	d := decorator.Wrap[device.Device](inner, recorded)
	buf := make([]byte, 3)
	d.Send(buf, 1, 7, 2)
	d.Irecv(buf, device.AnySource, device.AnyTag, 0)
	for range 100 {
		d.Test(answered)
	}
	inner.status = device.Status{Source: 1, Tag: 8, Size: 2}
	d.Wait(answered)
	inner.status, inner.err = device.Status{}, device.ErrRequest
	d.Wait(answered)
	want := `	0 Send peer 1 tag 7 context 2, 3 bytes: ok
	1 Irecv peer any tag any context 0, 3 bytes, request 0x100000001: ok
	101 Test request 0x100000001: not yet
	102 Wait request 0x100000001: 2 bytes from 1 tag 8 cancelled false
	103 Wait request 0x100000001: no such request: it is null, or already released
`
	if got := recorded.last(10); got != want {
		t.Errorf("trace:\n%swant:\n%s", got, want)
	}
	for range 20 {
		d.Iprobe(1, 3, 0)
		d.Send(nil, 1, 0, 0)
	}
	if n := len(recorded.recorded()); n != 5 {
		t.Errorf("%d events kept, want 5", n)
	}
	var c decorator.Call
	var st device.Status
	if got := allocs.Count(100, func() { recorded.Before(&c); recorded.After(&c, true, &st, nil) }); got > 0 {
		t.Errorf("recording allocates %v times", got)
	}
}

// The trace of a rank can be read while it is inside a call.
func TestTraceShowsWhatBlocks(t *testing.T) {
	inner, recorded := &answers{block: make(chan bool)}, newTrace(5)
	d := decorator.Wrap[device.Channel](inner, recorded)
	done := make(chan bool)
	go func() {
		d.Recv(nil, 1, 5, 0)
		close(done)
	}()
	for !strings.Contains(recorded.last(1), "Recv peer 1 tag 5 context 0, 0 bytes: has not returned") {
	}
	inner.block <- true
	<-done
	if got := recorded.last(1); !strings.Contains(got, "Recv peer 1 tag 5 context 0, 0 bytes: ok") {
		t.Errorf("trace is %q", got)
	}
}
