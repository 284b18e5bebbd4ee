package tcp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
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
