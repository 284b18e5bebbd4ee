package tcp

import (
	"errors"
	"fmt"
	"net"
	"os"

	"golang.org/x/sys/unix"

	"gobench/device"
)

// vsockAddr is an address between a virtual machine and its host: a context identifier and a port.
type vsockAddr struct{ CID, Port uint32 }

func (vsockAddr) Network() string  { return "vsock" }
func (a vsockAddr) String() string { return fmt.Sprintf("vsock:%d:%d", a.CID, a.Port) }

func (a vsockAddr) socket() unix.Sockaddr { return &unix.SockaddrVM{CID: a.CID, Port: a.Port} }

// listenVsock listens at a port that the kernel chooses, or option port: for ranks of this machine
// alone where cid is the loopback.
func (s settings) listenVsock(rank int, cid uint32) (net.Listener, uint32, error) {
	at := vsockAddr{unix.VMADDR_CID_ANY, unix.VMADDR_PORT_ANY}
	if cid == unix.VMADDR_CID_LOCAL {
		at.CID = cid
	}
	if s.port != 0 {
		at.Port = uint32(s.port + rank)
	}
	l, err := s.listenAt(at.socket())
	if errors.Is(err, unix.EADDRNOTAVAIL) && cid == unix.VMADDR_CID_LOCAL {
		return nil, 0, &device.UnavailableError{Transport: name, Reason: fmt.Sprintf("family=vsock: this kernel has no loopback of vsock, or its module vsock_loopback is not loaded (%v)", err), Remedy: "modprobe vsock_loopback"}
	}
	if err != nil {
		return nil, 0, fmt.Errorf("listening on vsock: %w", err)
	}
	return l, l.Addr().(vsockAddr).Port, nil
}

// ownCID returns the context identifier by which this machine's peers know it. The ranks of one
// machine use the loopback.
func ownCID(local bool) (uint32, error) {
	if local {
		return unix.VMADDR_CID_LOCAL, nil
	}
	f, err := os.Open("/dev/vsock")
	if err != nil {
		return 0, &device.UnavailableError{Transport: name, Reason: "family=vsock: " + err.Error(), Remedy: "modprobe vsock, in a virtual machine that has the device vhost-vsock, or modprobe vhost_vsock on its host"}
	}
	defer f.Close()
	cid, err := unix.IoctlGetInt(int(f.Fd()), unix.IOCTL_VM_SOCKETS_GET_LOCAL_CID)
	if err != nil {
		return 0, fmt.Errorf("asking for the context identifier of this machine: %w", err)
	}
	return uint32(cid), nil
}
