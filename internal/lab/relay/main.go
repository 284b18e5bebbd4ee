// Command relay carries the frames between two network interfaces, each after a time, and loses
// some: the lab plants delays and losses with it on kernels without netem. It needs root.
//
//	relay A B DELAY [LOSS]    relay v3 d1 1ms 0.02
package main

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "relay:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 3 {
		return fmt.Errorf("want two interfaces, a delay such as 1ms, and a share that is lost, not %q", args)
	}
	delay, err := time.ParseDuration(args[2])
	if err != nil {
		return err
	}
	loss := 0.0
	if len(args) > 3 {
		if loss, err = strconv.ParseFloat(args[3], 64); err != nil {
			return err
		}
	}
	a, err := open(args[0])
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	b, err := open(args[1])
	if err != nil {
		return fmt.Errorf("%s: %w", args[1], err)
	}
	ended := make(chan error)
	go carry(a, b, delay, loss, ended)
	go carry(b, a, delay, loss, ended)
	return <-ended
}

// open returns a socket for all frames of an interface. Each frame has a header with what its
// sender leaves to the network card (PACKET_VNET_HDR): checksums, and the division of long frames.
func open(name string) (fd int, err error) {
	i, err := net.InterfaceByName(name)
	if err != nil {
		return 0, err
	}
	const all = unix.ETH_P_ALL<<8&0xff00 | unix.ETH_P_ALL>>8 // in network byte order
	if fd, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW, all); err != nil {
		return 0, err
	}
	if err := unix.SetsockoptInt(fd, unix.SOL_PACKET, unix.PACKET_VNET_HDR, 1); err != nil {
		return 0, err
	}
	promiscuous := unix.PacketMreq{Ifindex: int32(i.Index), Type: unix.PACKET_MR_PROMISC}
	if err := unix.SetsockoptPacketMreq(fd, unix.SOL_PACKET, unix.PACKET_ADD_MEMBERSHIP, &promiscuous); err != nil {
		return 0, err
	}
	return fd, unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: all, Ifindex: i.Index})
}

// carry sends to one socket what it receives from another.
func carry(from, to int, delay time.Duration, loss float64, ended chan<- error) {
	type frame struct {
		due  time.Time
		data []byte
	}
	frames := make(chan frame, 4096)
	go func() {
		for f := range frames {
			time.Sleep(time.Until(f.due))
			unix.Write(to, f.data) // a frame that cannot be sent is lost, as on a network
		}
	}()
	buffer := make([]byte, 128<<10)
	for {
		n, sender, err := unix.Recvfrom(from, buffer, 0)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			ended <- err
			return
		}
		if l, ok := sender.(*unix.SockaddrLinklayer); ok && l.Pkttype == unix.PACKET_OUTGOING || rand.Float64() < loss {
			continue
		}
		select {
		case frames <- frame{time.Now().Add(delay), append([]byte(nil), buffer[:n]...)}:
		default: // the queue is full
		}
	}
}
