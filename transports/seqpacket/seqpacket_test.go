package seqpacket

import (
	"errors"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gobench/device/devicetest"
	"gobench/device/protocol"
)

func TestMain(m *testing.M) { os.Exit(devicetest.Main(m)) }

// TestConformance runs the rules of the wire.
func TestConformance(t *testing.T) {
	devicetest.Run(t, devicetest.Subject{Driver: driver{}, Ranks: devicetest.Processes, Largest: true, Limit: 2 * time.Minute,
		Only: devicetest.WireRules})
}

// A small send buffer, as sysctl net.core.wmem_default may set it, takes the longest packet.
func TestSmallBuffer(t *testing.T) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	w := newWire(0, 2)
	w.fds[1] = fds[0]
	defer w.Close()
	defer unix.Close(fds[1])
	if err := errors.Join(unix.SetsockoptInt(fds[0], unix.SOL_SOCKET, unix.SO_SNDBUF, 1), w.ready()); err != nil {
		t.Fatal(err)
	}
	size := w.Limits().Packet
	if taken := w.Push(1, protocol.Header{}, make([]byte, size)); !taken {
		t.Fatalf("there is no room for a packet of %d bytes", size)
	}
	unix.SetNonblock(fds[1], true)
	if n, err := unix.Read(fds[1], make([]byte, packetSize)); n != protocol.HeaderSize+size {
		t.Errorf("a packet of %d bytes arrives with %d: %v", protocol.HeaderSize+size, n, err)
	}
}
