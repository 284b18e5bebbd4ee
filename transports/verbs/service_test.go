//go:build verbs && cgo

package verbs

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"gobench/device"
	"gobench/device/devicetest"
	"gobench/device/protocol"
)

func TestServices(t *testing.T) {
	checkServices(t,
		map[string]string{"device": "rxe0", "service": "uc"},
		map[string]string{"device": "rxe0", "service": "ud"},
		map[string]string{"device": "rxe0", "service": "ud", "path_mtu": "512", "loop": "native", "credits": "4"},
		map[string]string{"device": "rxe0", "service": "uc", "loop": "native", "qps": "2", "inline": "0"})
}

// checkServices: messages of all lengths arrive, of which those of more than one packet go in
// several; but over UD puts do, too.
func checkServices(t *testing.T, sets ...map[string]string) {
	for _, set := range sets {
		channels, _ := openChannels(t, set)
		var both sync.WaitGroup
		for rank, c := range channels {
			both.Go(func() {
				must := func(err error) {
					if err != nil {
						t.Errorf("%v, rank %d: %v", set, rank, err)
					}
				}
				for _, size := range []int{0, 200, 70_000} {
					out, in := bytes.Repeat([]byte{byte(size + rank)}, size), make([]byte, size)
					for range 2 {
						must(c.(device.Linker).PingPong(out, in, 1-rank, 3, rank == 0, nil))
						q, err := c.Isend(out, 1-rank, 0, 0)
						must(err)
						clear(in)
						_, err = c.Recv(in, 1-rank, 0, 0)
						must(err)
						_, err = c.Wait(q)
						must(err)
						if !bytes.Equal(in, bytes.Repeat([]byte{byte(size + 1 - rank)}, size)) {
							t.Errorf("%v, rank %d: the message of %d bytes is not what was sent", set, rank, size)
						}
					}
				}
				if set["service"] != "ud" {
					out, in := bytes.Repeat([]byte{byte(7 + rank)}, 5000), make([]byte, 5000)
					l, err := c.(device.Linker).Link(1-rank, out, in)
					must(err)
					must(l.PutPong(20, rank == 0, nil))
					if in[0] != byte(8-rank) || in[4999] != 20 {
						t.Errorf("%v, rank %d: the put is %d ... %d", set, rank, in[0], in[4999])
					}
					must(l.Put(3, 20, nil))
					l.Close()
				}
				must(c.Close())
			})
		}
		both.Wait()
	}
}

// What a service, a device or an option has not is refused with the reason.
func TestOffers(t *testing.T) {
	for _, c := range []struct {
		set  map[string]string
		op   device.LinkOperation
		want string
	}{
		{map[string]string{"device": "rxe0", "service": "uc"}, device.LinkGet, "service=uc has messages and puts: a get needs service=rc"},
		{map[string]string{"device": "rxe0", "service": "ud"}, device.LinkPut, "service=ud has messages alone"},
		{map[string]string{"device": "siw0"}, device.LinkCompareSwap, "device siw0 has no atomic operations"},
		{map[string]string{"device": "rxe0", "wait": "block"}, device.LinkPutPong, "wait=block"},
	} {
		wires, _ := openPair(t, c.set)
		if err := wires[0].Offers(c.op); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, %v: the error is %v, want %q in it", c.set, c.op, err, c.want)
		}
		for _, w := range wires {
			if library := w.inForce()["library"]; !strings.Contains(library, "/libibverbs.so.1.") {
				t.Errorf("%v: the record has library %q, want the file of libibverbs with its version", c.set, library)
			}
			w.abandon()
		}
	}
}

// Packets that the network loses end the connection with an error, also if they are the last: UC
// and UD do not repeat them.
func TestLostPackets(t *testing.T) {
	for _, service := range []string{"uc", "ud"} {
		for _, after := range []bool{false, true} { // a packet comes behind the lost ones
			wires, _ := openPair(t, map[string]string{"device": "rxe_a+rxe_b", "rails": "spread", "service": service, "peer_timeout": "400"})
			sinks := [2]*sinkRecord{new(sinkRecord), new(sinkRecord)}
			push := func(n int) {
				for range n {
					if !wires[0].Push(1, protocol.Header{W0: 1}, []byte("packet")) {
						t.Fatal("there is no room for a packet")
					}
				}
			}
			push(1)
			spin(t, wires, sinks, func() bool { return sinks[1].packets == 1 })
			run(t, "tc", "qdisc", "replace", "dev", "va", "root", "netem", "loss", "100%")
			push(3)
			run(t, "tc", "qdisc", "del", "dev", "va", "root")
			want := "3 of its packets were lost"
			if after {
				push(1)
				want = "packets were lost"
			}
			spin(t, wires, sinks, func() bool { return sinks[1].failed != "" })
			if !strings.Contains(sinks[1].failed, want) || sinks[1].packets != 1 {
				t.Errorf("%s: rank 1 has %d packets and says %q, want %q in it", service, sinks[1].packets, sinks[1].failed, want)
			}
			for _, w := range wires {
				w.abandon()
			}
		}
	}
}

// A put of a ping-pong that does not come is an error over UC, though the peer lives: it may be
// lost.
func TestLostPut(t *testing.T) {
	for _, loop := range []string{"native", "go"} {
		_, wires, links, _, _ := openLinks(t, map[string]string{"device": "rxe0", "service": "uc", "peer_timeout": "100", "loop": loop}, 64)
		var dead *device.PeerError
		if err := links[1].PutPong(3, false, nil); !errors.As(err, &dead) || !strings.Contains(dead.Cause, "its put has not come for") {
			t.Errorf("loop %s: the error is %v", loop, err)
		}
		for _, w := range wires {
			w.abandon()
		}
	}
}

// A peer that is gone is noticed over services without acknowledgements, too.
func TestServicePeerGone(t *testing.T) { checkPeerGone(t, "uc", "ud") }

func checkPeerGone(t *testing.T, services ...string) {
	for _, service := range services {
		wires, _ := openPair(t, map[string]string{"device": "rxe0", "service": service, "peer_timeout": "100"})
		sink := new(sinkRecord)
		wires[1].abandon()
		spin(t, [2]*wire{wires[0], wires[0]}, [2]*sinkRecord{sink, sink}, func() bool { return sink.failed != "" })
		if want := "probe by an empty RDMA write failed: IBV_WC_RETRY_EXC_ERR"; !strings.Contains(sink.failed, want) {
			t.Errorf("%s: rank 0 says %q, want %q in it", service, sink.failed, want)
		}
		wires[0].abandon()
	}
}

func TestAtomics(t *testing.T) {
	checkAtomics(t, map[string]string{"device": "rxe0", "loop": "native"}, map[string]string{"device": "rxe0", "loop": "go", "qps": "3"})
	_, wires, links, _, _ := openLinks(t, map[string]string{"device": "rxe0"}, 16)
	var wrong *device.ArgumentError
	if err := links[0].FetchAdd(1, 1, nil); !errors.As(err, &wrong) {
		t.Errorf("on 16 bytes the error is %v", err)
	}
	for _, w := range wires {
		w.abandon()
	}
}

// checkAtomics: atomic operations are done once each and return the value before; a swap that
// expects another value changes nothing.
func checkAtomics(t *testing.T, sets ...map[string]string) {
	for _, set := range sets {
		_, wires, links, out, in := openLinks(t, set, 8)
		word := binary.NativeEndian
		word.PutUint64(in[1], 1<<40)
		check := func(err error, value, before uint64) {
			t.Helper()
			if got, was := word.Uint64(in[1]), word.Uint64(out[0]); err != nil || got != value || before != 0 && was != before {
				t.Errorf("%v: the value is %#x and was %#x, want %#x and %#x: %v", set, got, was, value, before, err)
			}
		}
		check(links[0].FetchAdd(2, 50, nil), 1<<40+100, 0) // several queue pairs keep no order
		check(links[0].FetchAdd(1, 1, nil), 1<<40+101, 1<<40+100)
		check(links[0].CompareSwap(3, 10, 1<<40+101, nil), 1<<40+131, 1<<40+130)
		check(links[0].CompareSwap(1, 2, 5, nil), 1<<40+131, 1<<40+131)
		for _, w := range wires {
			w.abandon()
		}
	}
}

// A packet wakes a rank that sleeps.
func TestSleep(t *testing.T) {
	for _, on := range []string{"rxe0", "siw0"} {
		wires, _ := openPair(t, map[string]string{"device": on, "wait": "block"})
		begin := time.Now()
		var both sync.WaitGroup
		both.Go(func() {
			block := wires[1].Sleep().Block
			for n := new(sinkRecord); n.packets == 0; {
				block(time.Minute)
				wires[1].Poll(device.AnySource, n)
			}
		})
		time.Sleep(50 * time.Millisecond) // so that it sleeps; the test holds if not
		if !wires[0].Push(1, protocol.Header{W0: 1}, []byte("wake")) {
			t.Error("there is no room for a packet")
		}
		both.Wait()
		if time.Since(begin) > 30*time.Second {
			t.Errorf("%s: the packet wakes nobody", on)
		}
		for _, w := range wires {
			w.abandon()
		}
	}
}

// TestBlockingConformance runs rules with ranks that sleep.
func TestBlockingConformance(t *testing.T) {
	devicetest.Run(t, devicetest.Subject{Driver: driver{}, Ranks: devicetest.Processes, MaxRanks: 3, Largest: true, Limit: limit,
		Options: map[string]string{"wait": "block"}, Only: []string{"every size", "death of a sender"}})
}
