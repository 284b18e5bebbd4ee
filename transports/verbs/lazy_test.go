//go:build verbs && cgo

package verbs

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gobench/device"
	"gobench/device/protocol"
	"gobench/transports/verbs/ibv"
)

// openLazily opens the devices of n ranks that connect when they have to, and runs each in a
// goroutine.
func openLazily(t *testing.T, set map[string]string, n int, rank func(i int, w *wire, d device.Device)) {
	t.Helper()
	var all sync.WaitGroup
	for i, job := range members(n) {
		all.Go(func() {
			opts, err := device.ParseOptions(driver.Options(), set)
			if err != nil {
				t.Error(err)
				return
			}
			w, c, err := openWire(context.Background(), job, opts, nil)
			if err != nil {
				t.Error(err)
				return
			}
			d, err := protocol.New(w, c)
			if err != nil {
				t.Error(err)
				return
			}
			rank(i, w, d)
		})
	}
	all.Wait()
}

// whole lists the peers that a rank is connected with.
func whole(w *wire) (list []int) {
	for _, p := range w.byQ {
		if p.conn.whole {
			list = append(list, p.Rank)
		}
	}
	return list
}

// Of four ranks only those connect that talk to each other: 0 and 1, where one begins, and 2 and 3,
// where both begin at the same time, many times over.
func TestLazyConnectsWhatIsUsed(t *testing.T) {
	for _, set := range []map[string]string{
		{"connect": "lazy", "device": "rxe0"},
		{"connect": "lazy", "device": "siw0", "srq": "on"},
		{"connect": "lazy", "device": "rxe_a+rxe_b"},
	} {
		for range 2 {
			var atOnce sync.WaitGroup
			atOnce.Add(2)
			openLazily(t, set, 4, func(i int, w *wire, d device.Device) {
				peer := i ^ 1
				out, in := []byte{byte(i)}, []byte{99}
				must := func(err error) {
					if err != nil {
						t.Errorf("%v, rank %d: %v", set, i, err)
					}
				}
				if i >= 2 {
					atOnce.Done()
					atOnce.Wait()
				}
				if i != 1 {
					must(d.Send(out, peer, 0, 0))
				}
				_, err := d.Recv(in, peer, 0, 0)
				if i == 1 {
					must(d.Send(out, peer, 0, 0))
				}
				must(err)
				if in[0] != byte(peer) {
					t.Errorf("%v, rank %d: the message is %d", set, i, in[0])
				}
				if list := whole(w); len(list) != 1 || list[0] != peer {
					t.Errorf("%v, rank %d is connected with %v, want %d alone", set, i, list, peer)
				}
				must(d.Close())
			})
		}
	}
}

// A peer that died before the first message is lost as soon as somebody needs it: by a send, or by
// waiting for it.
func TestLazyPeerIsDead(t *testing.T) {
	for _, dev := range []string{"rxe0", "siw0"} {
		var dead sync.WaitGroup
		dead.Add(1)
		openLazily(t, map[string]string{"connect": "lazy", "device": dev}, 3, func(i int, w *wire, d device.Device) {
			if i == 2 {
				w.abandon()
				dead.Done()
				return
			}
			dead.Wait()
			var err error
			start := time.Now()
			if i == 0 {
				err = d.Ssend([]byte{1}, 2, 0, 0)
			} else {
				_, err = d.Recv(make([]byte, 1), 2, 0, 0)
			}
			var lost *device.PeerError
			if !errors.As(err, &lost) || lost.Rank != 2 {
				t.Errorf("%s, rank %d: the error is %v", dev, i, err)
			}
			t.Logf("%s, rank %d: %v after %v", dev, i, err, time.Since(start))
			if err := d.Close(); err != nil {
				t.Errorf("%s, rank %d: %v", dev, i, err)
			}
		})
	}
}

// RDMA CM takes ports that TCP has in use for the same peer, because it numbers them by itself.
// Here most are in use; a call is repeated until it has one that is not.
func TestCallsTakeAnotherPort(t *testing.T) {
	const file, first, ports, free = "/proc/sys/net/ipv4/ip_local_port_range", 47000, 24, 6
	before, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, fmt.Appendf(nil, "%d %d", first, first+ports-1), 0)
	}
	if err != nil {
		t.Skip(err)
	}
	defer os.WriteFile(file, before, 0)
	openLazily(t, map[string]string{"connect": "lazy", "device": "siw0"}, 2, func(i int, w *wire, d device.Device) {
		defer d.Close()
		if i == 0 {
			at := w.connector.endpoints[1].Rails[0].CM
			used := 0
			for port := range ports - free {
				from := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(10, 8, 1, 1), Port: first + port}, Control: reuse}
				c, err := from.Dial("tcp", at)
				if err != nil {
					t.Logf("port %d: %v", first+port, err)
					continue
				}
				used++
				defer c.Close()
			}
			if used < ports/2 {
				t.Errorf("%d ports of %d are in use: the test would show nothing", used, ports)
			}
			if err := d.Send([]byte{1}, 1, 0, 0); err != nil {
				t.Error(err)
			}
			if _, err := d.Recv(make([]byte, 1), 1, 0, 0); err != nil {
				t.Error(err)
			}
			return
		}
		in := []byte{0}
		if _, err := d.Recv(in, 0, 0, 0); err != nil || in[0] != 1 {
			t.Errorf("the message is %d, the error %v", in[0], err)
		}
		if err := d.Send(in, 0, 0, 0); err != nil {
			t.Error(err)
		}
	})
}

// reuse lets a socket of TCP and one of RDMA CM have the same port.
func reuse(_, _ string, c syscall.RawConn) error {
	var err error
	failed := c.Control(func(fd uintptr) { err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEADDR, 1) })
	return errors.Join(failed, err)
}

// A further call for a queue that is connected is refused, though its token is valid, and harms
// nothing.
func TestRepeatedCall(t *testing.T) {
	wires, _ := openPair(t, map[string]string{"device": "rxe0", "exchange": "rdmacm"})
	for _, w := range wires {
		defer w.abandon()
	}
	n, called := &wires[1].connector, wires[0]
	caller, err := n.cms[0].Open(wires[1].railConfig(wires[1].railAddresses[0].port.number))
	if err != nil {
		t.Fatal(err)
	}
	defer caller.Close()
	defer caller.Drop(0)
	at := netip.MustParseAddrPort(n.endpoints[0].Rails[0].CM)
	err = n.cms[0].Call(caller, 0, at.Addr().String(), int(at.Port()), 0, wires[1].set.timeout)
	until := time.Now().Add(20 * time.Second)
	for refused := false; err == nil && !refused; {
		if e, ok, _ := n.cms[0].Next(caller); ok {
			switch e.Kind {
			case ibv.AddressResolved:
				err = caller.Route(e)
			case ibv.RouteResolved:
				err = caller.Greet(e, n.token(1, 0, 0), 1, 0, reads(caller), retries)
			case ibv.Rejected:
				refused = true
			default:
				err = errors.New(e.Kind.String())
			}
		}
		if e, ok, _ := called.cms[0].Next(called.rails[0]); ok && err == nil {
			_, err = called.stepCM(0, e)
		}
		if time.Now().After(until) {
			t.Fatal("it is not answered")
		}
	}
	if err != nil {
		t.Error(err)
	}
	sink := new(sinkRecord)
	for wires[1].Push(0, protocol.Header{}, make([]byte, 8)); sink.packets == 0 && time.Now().Before(until); {
		called.Poll(1, sink)
	}
	if sink.packets != 1 || sink.failed != "" {
		t.Errorf("afterwards: %d packets, failed %q", sink.packets, sink.failed)
	}
}

// The exchange of the job connects all together, so lazy needs RDMA CM.
func TestLazyNeedsRDMACM(t *testing.T) {
	for _, set := range []map[string]string{{"connect": "lazy", "exchange": "tcp"}, {"connect": "lazy", "qps": "2"}} {
		opts, err := device.ParseOptions(driver.Options(), set)
		if err != nil {
			t.Fatal(err)
		}
		var wrong *device.ValueError
		if _, err := parse(opts, 2); !errors.As(err, &wrong) || wrong.Option != "connect" {
			t.Errorf("%v: the error is %v", set, err)
		}
	}
}
