package netif

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"syscall"
	"time"
)

// Loop returns an error unless this host can connect to itself over its loopback interface. An
// interface that is down can be listened on.
func Loop() error {
	var first error
	for _, address := range []string{"127.0.0.1:0", "[::1]:0"} {
		err := connectTo(address)
		if err == nil {
			return nil
		}
		first = cmp.Or(first, err)
	}
	return fmt.Errorf("neither 127.0.0.1 nor ::1 can be connected to: %w", first)
}

func connectTo(address string) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return ListenError(err)
	}
	defer l.Close()
	c, err := net.DialTimeout("tcp", l.Addr().String(), 3*time.Second)
	if err != nil {
		return err
	}
	c.(*net.TCPConn).SetLinger(0) // else its port would be in use for another minute
	return c.Close()
}

// ListenError adds the remedy to the error of listening at a port that the kernel chooses.
func ListenError(err error) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%w: no local port is free (sysctl net.ipv4.ip_local_port_range)", err)
	}
	return err
}

// LoopRemedy returns the remedy of an error of Loop, "" if there is none.
func LoopRemedy(err error) string {
	if loopIsDown() { // then connecting may time out
		return bringUp
	}
	timeout := (net.Error)(nil)
	if errors.As(err, &timeout) && timeout.Timeout() {
		return "let the firewall of this host pass connections over the loopback interface"
	}
	return LoopDown(err)
}

// LoopDown returns the remedy if an error of a connection over the loopback interface shows that
// the interface is down, else "". A time-out does not show it: on a busy host another attempt may
// succeed.
func LoopDown(err error) string {
	if errors.Is(err, syscall.ENETUNREACH) || errors.Is(err, syscall.EHOSTUNREACH) || errors.Is(err, syscall.EADDRNOTAVAIL) {
		return bringUp
	}
	return ""
}

const bringUp = "bring the loopback interface up (ip link set lo up)"

// loopIsDown reports whether this host has loopback interfaces, and none is up.
func loopIsDown() bool {
	all, _ := net.Interfaces()
	down := false
	for _, i := range all {
		if i.Flags&net.FlagLoopback != 0 {
			if i.Flags&net.FlagUp != 0 {
				return false
			}
			down = true
		}
	}
	return down
}
