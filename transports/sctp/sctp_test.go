package sctp

import (
	"context"
	"errors"
	"net/netip"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gobench/device"
	"gobench/device/devicetest"
	"gobench/device/protocol"
	"gobench/launch"
)

// limit is the time limit of one rule: the VM emulates its processors.
const limit = 90 * time.Second

func TestMain(m *testing.M) { os.Exit(devicetest.Main(m)) }

// available skips a test where the kernel has no SCTP.
func available(t *testing.T) {
	t.Helper()
	if err := (driver{}).Probe(); err != nil {
		t.Skipf("SKIPPED: %v; scripts/verbs.sh runs it in a virtual machine", err)
	}
}

// TestConformance runs the rules of the wire.
func TestConformance(t *testing.T) {
	available(t)
	devicetest.Run(t, devicetest.Subject{Driver: driver{}, Ranks: devicetest.Processes, MaxRanks: 4, Largest: true, Limit: limit,
		Options: map[string]string{"wait": "yield"}, Only: devicetest.WireRules})
}

// TestOptions runs the rules that options of the wire touch.
func TestOptions(t *testing.T) {
	available(t)
	for name, options := range map[string]map[string]string{
		"IPv6":   {"family": "6", "wait": "yield"},
		"sleeps": {"wait": "block"},
	} {
		t.Run(name, func(t *testing.T) {
			devicetest.Run(t, devicetest.Subject{Driver: driver{}, Ranks: devicetest.Processes, MaxRanks: 3, Largest: true, Limit: limit, Options: options,
				Only: []string{"no overtaking", "every size", "close delivers", "death of a sender", "death in large transfers"}})
		})
	}
}

// The record has the IP version and the buffers that the socket has.
func TestOptionsInForce(t *testing.T) {
	available(t)
	for family, address := range map[string]string{"4": "127.0.0.1", "6": "::1"} {
		e, _, err := listen(netip.MustParseAddr(address), settings{family: "auto", silence: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(e.fd)
		if got, found := e.inForce(); got["family"] != family || found["sndbuf_kernel"] == "" || found["rcvbuf_kernel"] == "" {
			t.Errorf("of a socket at %s the options in force are %v, and %v was found", address, got, found)
		}
	}
}

// A peer that takes nothing fills the send buffer; once it is given up, the others get messages
// again.
func TestGivenUp(t *testing.T) {
	available(t)
	o, err := device.ParseOptions(driver{}.Options(), map[string]string{"sndbuf": "64KiB", "rcvbuf": "64KiB"})
	if err != nil {
		t.Fatal(err)
	}
	err = launch.Goroutines(t.Context(), 3, func(ctx context.Context, job device.Job) error {
		opened, _, err := driver{}.OpenWire(ctx, job, o, nil)
		if err != nil {
			return err
		}
		w := opened.(*wire)
		defer w.Close()
		if m := w.Limits().MemoryPerPair; m != 4*64<<10 { // the kernel doubles sizes
			t.Errorf("a pair has %d bytes of memory, want half of the four buffers of two ranks", m)
		}
		data := make([]byte, w.limits.Packet)
		taken := func(to int, within time.Duration) bool {
			for until := time.Now().Add(within); time.Now().Before(until); time.Sleep(time.Millisecond) {
				if w.Push(to, protocol.Header{}, data) {
					return true
				}
			}
			return false
		}
		if w.rank == 0 {
			for taken(1, 3*time.Second) {
			}
			if w.Push(2, protocol.Header{}, data) {
				t.Error("the send buffer still has room")
			}
			w.Sever(1)
			w.Poll(-1, ignore{})
			if !taken(2, time.Second) { // the kernel gives it up, too, some seconds later
				t.Error("what was queued for the peer that was given up still fills the send buffer")
			}
		}
		_, err = job.Exchange(ctx, nil)
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// A greeting for which there is no room is sent again; an error ends the attempts.
func TestInsist(t *testing.T) {
	for _, last := range []syscall.Errno{0, syscall.EINPROGRESS, syscall.EPIPE} {
		results := []syscall.Errno{syscall.EAGAIN, syscall.ENOBUFS, last, syscall.EIO}
		err := insist(t.Context(), func() (bool, syscall.Errno) {
			defer func() { results = results[1:] }()
			return sent(results[0])
		})
		if len(results) != 1 || (err != nil) != (last == syscall.EPIPE) {
			t.Errorf("last result %v: error %v, %d results are left", last, err, len(results))
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := insist(ctx, func() (bool, syscall.Errno) { return sent(syscall.EAGAIN) }); !errors.Is(err, context.Canceled) {
		t.Errorf("a send that was cancelled: %v", err)
	}
}

// ignore is a protocol.Sink.
type ignore struct{ protocol.Sink }

func (ignore) Packet(int, protocol.Header, []byte) {}
func (ignore) Completed(uint64, error)             {}
func (ignore) Failed(int, string)                  {}

// A kernel without SCTP is reported with the module that it lacks.
func TestProbe(t *testing.T) {
	err := driver{}.Probe()
	var why *device.UnavailableError
	if err != nil && (!errors.As(err, &why) || !strings.Contains(why.Reason, "module sctp") || !strings.Contains(why.Remedy, "modprobe sctp")) {
		t.Errorf("the error is %v", err)
	}
}
