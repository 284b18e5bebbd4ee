package tcp

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gobench/device"
	"gobench/device/protocol"
)

// failing is a link whose kernel reports an error.
type failing struct {
	link
	read_, write_ error
	quiet         time.Duration
}

func (f *failing) read(a, b []byte) (int, error) {
	if f.read_ != nil {
		return 0, f.read_
	}
	return f.link.read(a, b)
}

func (f *failing) write(a, b, c []byte) (int, error) {
	if f.write_ != nil {
		return 0, f.write_
	}
	return f.link.write(a, b, c)
}

func (f *failing) silent(time.Time) (time.Duration, error) { return f.quiet, nil }

// A peer whose host has gone is lost with its rank, its address and the reason, whichever way the
// kernel reports it.
func TestVanishedHost(t *testing.T) {
	for name, f := range map[string]*failing{
		"keep-alive":    {read_: syscall.ETIMEDOUT},
		"no route":      {read_: syscall.EHOSTUNREACH},
		"sending":       {write_: syscall.EHOSTUNREACH},
		"no network":    {write_: syscall.ENETUNREACH},
		"not a word":    {quiet: 11 * time.Second},
		"still in time": {quiet: 9 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			a, _ := pair(t)
			p := a.peers[1]
			f.link = p.in.link
			p.in.link, p.out.link = f, f
			sink := &record{}
			a.Push(1, protocol.Header{}, nil)
			for range 2 * max(lossGrace, healthEvery) {
				a.Poll(1, sink)
				a.Idle(sink)
			}
			if name == "still in time" {
				if p.cause != "" {
					t.Errorf("lost early: %s", p.cause)
				}
				return
			}
			if !strings.Contains(p.cause, "its host 127.0.0.1 does not answer any more") {
				t.Errorf("the cause is %q", p.cause)
			}
		})
	}
}

// A host that was silent and has answered again is asked anew in its next silence, and not because
// its other connection is quiet.
func TestSilenceEnds(t *testing.T) {
	a, _ := pair(t, "connections", "2")
	p := a.peers[1]
	in, out := &failing{link: p.in.link}, &failing{link: p.out.link}
	p.in.link, p.out.link = in, out
	asked := func(quiet time.Duration) *atomic.Bool {
		out.quiet = quiet
		a.checkSilence(p, time.Now(), &record{})
		return p.echo
	}
	first := asked(6 * time.Second)
	if first == nil || asked(7*time.Second) != first {
		t.Error("in one silence the host is not asked once")
	}
	if asked(0) != nil {
		t.Error("what a host has answered in a silence that is over is kept")
	}
	if next := asked(6 * time.Second); next == nil || next == first {
		t.Error("in the next silence the host is not asked")
	}
}

const cableVariable = "GOBENCH_TCP_CABLE"

// TestPulledCable takes the network away from under two ranks, in a network namespace of its own:
// one that only waits and one that sends are told which rank is lost.
func TestPulledCable(t *testing.T) {
	if os.Getenv(cableVariable) == "" {
		cmd := exec.Command("/proc/self/exe", "-test.run=^TestPulledCable$", "-test.v")
		cmd.Env = append(os.Environ(), cableVariable+"=1")
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
		if os.Getuid() != 0 {
			cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
			cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		}
		out, err := cmd.CombinedOutput()
		if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSYS) {
			t.Skipf("NO NETWORK NAMESPACE CAN BE MADE HERE (%v): ONLY TestVanishedHost HOLDS WHAT A PULLED CABLE DOES", err)
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	loopbackUp(t, true)
	for _, c := range []struct {
		sends bool
		mptcp string
	}{{false, "off"}, {true, "off"}, {true, "on"}} {
		if err := (settings{multipath: c.mptcp == "on"}).checkMultipath(); err != nil {
			t.Log(err)
			continue
		}
		for rank, err := range ranks(t, 2, func(ctx context.Context, job device.Job) error {
			d, err := driver{}.Open(ctx, job, options(t, "peer_timeout", "1000", "mptcp", c.mptcp))
			if err != nil {
				return err
			}
			job.Exchange(ctx, nil) // both are open
			if job.Rank() == 0 {
				loopbackUp(t, false)
			}
			job.Exchange(ctx, nil)
			for err == nil {
				if c.sends {
					err = d.Send(make([]byte, 1<<20), 1-job.Rank(), 0, 0)
				} else {
					_, err = d.Recv(make([]byte, 8), 1-job.Rank(), 0, 0)
				}
			}
			d.Close()
			return err
		}) {
			var lost *device.PeerError
			if !errors.As(err, &lost) || lost.Rank != 1-rank || !strings.Contains(lost.Cause, "its host 127.0.0.1 does not answer any more") {
				t.Errorf("%+v, rank %d: %v", c, rank, err)
			}
			t.Log(err)
		}
		loopbackUp(t, true)
	}
}

// loopbackUp switches the interface lo of this namespace on or off.
func loopbackUp(t *testing.T, up bool) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	request, err := unix.NewIfreq("lo")
	if err != nil {
		t.Fatal(err)
	}
	flags := uint16(0)
	if up {
		flags = unix.IFF_UP
	}
	request.SetUint16(flags)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, request); err != nil {
		t.Fatal(err)
	}
}
