package tcp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"gobench/device"
)

// connection is a connected socket: of package net, or of a family that package net does not
// support.
type connection interface {
	net.Conn
	syscall.Conn
}

// connections returns what the listeners and targets of this package have made.
func connections(list []net.Conn) []connection {
	var all []connection
	for _, c := range list {
		all = append(all, c.(connection))
	}
	return all
}

// Families of sockets beside those of IP (linux/socket.h).
const (
	familySMC   = 43
	familyVsock = unix.AF_VSOCK
)

// checkFamily returns an error if this kernel has no sockets of the family of option family.
func (s settings) checkFamily() error {
	family, module := 0, ""
	switch s.family {
	case "vsock":
		family, module = familyVsock, "vsock"
	case "smc":
		family, module = familySMC, "smc"
	default:
		return nil
	}
	fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return &device.UnavailableError{Transport: name, Reason: fmt.Sprintf("family=%s: this kernel has no such sockets, or its module %s is not loaded (%v)", s.family, module, err),
			Remedy: "modprobe " + module}
	}
	return unix.Close(fd)
}

// familyInForce returns the effective family of a socket: an IP version, vsock, or smc with its
// data path. SMC falls back to TCP silently, which only socket diagnostics report.
func (s settings) familyInForce(fd int) string {
	domain, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_DOMAIN)
	if err != nil {
		return "unknown: " + err.Error()
	}
	if s.family == "smc" && domain != familySMC { // the kernel has put the socket of TCP in its place
		return "fallback to tcp"
	}
	switch domain {
	case unix.AF_INET:
		return "4"
	case unix.AF_INET6:
		return "6"
	case familyVsock:
		return "vsock"
	case familySMC:
		return modeOfSMC(fd)
	}
	return fmt.Sprint(domain)
}

// modeOfSMC finds a socket in the diagnostics of SMC by its inode.
func modeOfSMC(fd int) string {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return "smc, unknown: " + err.Error()
	}
	mode, err := diagnoseSMC(st.Ino)
	switch {
	case err != nil:
		return fmt.Sprintf("smc, or fallback to tcp: %v (module smc_diag)", err)
	case mode == 0:
		return "smc-r"
	case mode == 1:
		return "fallback to tcp"
	case mode == 2:
		return "smc-d"
	}
	return fmt.Sprintf("smc, mode %d", mode)
}

// diagnoseSMC asks the kernel for all sockets of SMC (linux/smc_diag.h) and returns the mode of
// one.
func diagnoseSMC(inode uint64) (mode uint8, err error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return 0, err
	}
	defer unix.Close(fd)
	const (
		byFamily    = 20
		requestSize = 4 + 48 // struct smc_diag_req
		modeAt      = 2      // in struct smc_diag_msg
		inodeAt     = 4 + 48 + 4
	)
	request := make([]byte, unix.SizeofNlMsghdr+requestSize)
	word := binary.NativeEndian
	word.PutUint32(request, uint32(len(request)))
	word.PutUint16(request[4:], byFamily)
	word.PutUint16(request[6:], unix.NLM_F_REQUEST|unix.NLM_F_DUMP)
	request[unix.SizeofNlMsghdr] = familySMC
	if err := unix.Sendto(fd, request, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return 0, err
	}
	for buf := make([]byte, 64<<10); ; {
		n, _, err := unix.Recvfrom(fd, buf, 0)
		if err != nil {
			return 0, err
		}
		messages, err := syscall.ParseNetlinkMessage(buf[:n])
		if err != nil {
			return 0, err
		}
		for _, m := range messages {
			switch {
			case m.Header.Type == unix.NLMSG_ERROR && len(m.Data) >= 4:
				return 0, syscall.Errno(-int32(word.Uint32(m.Data)))
			case m.Header.Type == unix.NLMSG_DONE:
				return 0, errors.New("the socket is not among the kernel's sockets of SMC")
			case m.Header.Type == byFamily && len(m.Data) >= inodeAt+8 && word.Uint64(m.Data[inodeAt:]) == inode:
				return m.Data[modeAt], nil
			}
		}
	}
}

const (
	protocolMPTCP = 262 // IPPROTO_MPTCP of linux/in.h
)

// checkMultipath returns an error if this kernel does not support Multipath TCP. Package net would
// silently use plain TCP.
func (s settings) checkMultipath() error {
	if !s.multipath {
		return nil
	}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, protocolMPTCP)
	if err == nil {
		return unix.Close(fd)
	}
	remedy := "take a kernel with CONFIG_MPTCP, 5.6 or later"
	if errors.Is(err, unix.ENOPROTOOPT) {
		remedy = "sysctl net.mptcp.enabled=1"
	}
	return &device.UnavailableError{Transport: name, Reason: fmt.Sprintf("mptcp=on: this kernel has no Multipath TCP (%v)", err), Remedy: remedy}
}

// multipath returns the option mptcp in force, "" if there is no connection to tell: one falls back
// to TCP where the peer or a middlebox does not support it.
func (m *mesh) multipath(set settings) string {
	if !set.multipath {
		return "off"
	}
	used, all := 0, 0
	for _, list := range m.conns {
		for _, c := range list {
			all++
			if ip, is := c.(*net.TCPConn); is {
				if ok, err := ip.MultipathTCP(); err == nil && ok {
					used++
				}
			}
		}
	}
	switch {
	case all == 0:
		return ""
	case used == all:
		return "on"
	case used == 0:
		return "fallback"
	}
	return fmt.Sprintf("%d of %d connections", used, all)
}

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
