package tcp

import (
	"errors"
	"fmt"
	"net"

	"golang.org/x/sys/unix"

	"gobench/device"
)

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
