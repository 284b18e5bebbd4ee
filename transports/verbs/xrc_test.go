//go:build verbs && cgo

package verbs

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"gobench/device"
	"gobench/device/protocol"
	"gobench/transports/verbs/ibv"
)

// needXRC skips a test where rxe0 has no XRC, which it has with the emulation alone
// (emulator/build.sh).
func needXRC(t *testing.T) {
	t.Helper()
	if err := ibv.Load(); err != nil {
		t.Fatal(err)
	}
	if !hasXRC("rxe0") {
		t.Skip("SKIPPED: scripts/verbs.sh runs it with XRC emulated")
	}
}

// Over XRC everything arrives that RC carries: messages, puts, gets and atomic operations.
func TestXRC(t *testing.T) {
	needXRC(t)
	native := map[string]string{"device": "rxe0", "service": "xrc", "loop": "native", "qps": "2", "inline": "0", "credits": "4"}
	spun := map[string]string{"device": "rxe0", "service": "xrc"}
	checkServices(t, native, spun)
	checkAtomics(t, native, spun)
	for _, set := range []map[string]string{native, spun} {
		_, wires, links, out, in := openLinks(t, set, 5000)
		copy(in[1], bytes.Repeat([]byte{9}, 5000))
		if err := links[0].Get(2, 10, nil); err != nil || !bytes.Equal(out[0], in[1]) {
			t.Errorf("%v: the get brings %d ... %d: %v", set, out[0][0], out[0][4999], err)
		}
		m := wires[0].inForce()
		if m["service"] != "xrc" || m["srq"] != "on" {
			t.Errorf("the record has service %q and srq %q", m["service"], m["srq"])
		}
		for _, w := range wires {
			w.abandon()
		}
	}
	checkPeerGone(t, "xrc")
}

// More than two ranks share one receive queue: each packet is told whose it is.
func TestXRCRanks(t *testing.T) {
	needXRC(t)
	set := map[string]string{"device": "rxe0", "service": "xrc", "credits": "4"}
	wires, _ := openAll(t, set, set, set)
	const each = 50 // packets of each pair, more than the credits
	var sent [3][3]int
	sinks := [3]*senders{{}, {}, {}}
	for arrived := 0; arrived < 6*each; {
		arrived = 0
		for rank, w := range wires {
			for to := range wires {
				if to != rank && sent[rank][to] < each && w.Push(to, protocol.Header{W0: 1, W2: uint64(rank)}, nil) {
					sent[rank][to]++
				}
			}
			w.Poll(device.AnySource, sinks[rank])
			arrived += sinks[rank].packets
			if sinks[rank].wrong > 0 || sinks[rank].failed != "" {
				t.Fatalf("rank %d: %d packets come from another rank than they say: %q", rank, sinks[rank].wrong, sinks[rank].failed)
			}
		}
	}
	for _, w := range wires {
		w.abandon()
	}
}

// senders compares the sender of a packet with the rank that its header says.
type senders struct {
	sinkRecord
	wrong int
}

func (s *senders) Packet(from int, h protocol.Header, _ []byte) {
	s.packets++
	if uint64(from) != h.W2 {
		s.wrong++
	}
}

// A request that names no shared receive queue of the target's domain is refused, by this emulation
// when it is posted.
func TestXRCNumbers(t *testing.T) {
	needXRC(t)
	wires, _ := openAll(t, slices.Repeat([]map[string]string{{"device": "rxe0", "service": "xrc"}}, 2)...)
	defer func() {
		for _, w := range wires {
			w.abandon()
		}
	}()
	at, err := chooseAddresses(hcas(sysfs), settings{devices: []string{"rxe0"}, gid: -1}, 0)
	if err != nil {
		t.Fatal(err)
	}
	path := ibv.Path{Global: true, GIDIndex: at[0].gid.index, Timeout: 14, Retries: retries, Reads: 1}
	config := ibv.Config{Peers: 1, Control: 1, Credits: 4, Buffer: 256, Depth: 8, Slots: 16, Shared: true, Port: 1, Service: ibv.XRC}
	other := wires[0].endpoints[0].Rails[0].Numbers[1][0].Shared // of another domain
	for name, c := range map[string]struct {
		number func(own uint32) uint32
		want   ibv.Sent
	}{
		"its own":           {func(own uint32) uint32 { return own }, 0},
		"of another domain": {func(uint32) uint32 { return other }, -ibv.Sent(syscall.EINVAL)},
		"of nobody":         {func(own uint32) uint32 { return own + 1000 }, -ibv.Sent(syscall.EINVAL)},
	} {
		var rails [2]*ibv.Rail
		var numbers [2]ibv.Numbers
		for i := range rails {
			if rails[i], err = ibv.Open("rxe0", config); err == nil {
				defer rails[i].Close()
				numbers[i], err = rails[i].Create(0)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		for i, r := range rails {
			to := ibv.Address{Numbers: numbers[1-i], GID: at[0].gid.addr, MTU: 3}
			to.Shared = c.number(to.Shared)
			if err := r.Connect(0, 0, to, path); err != nil {
				t.Fatal(err)
			}
		}
		if s := rails[0].Send(0, [3]uint64{1}, []byte("x"), true); s != c.want {
			t.Errorf("a request with a number %s: the result is %d, want %d", name, s, c.want)
		}
	}
}

// A driver that has no function of XRC is named with it, though the device claims XRC; a device
// that claims none is refused.
func TestXRCRefusals(t *testing.T) {
	needXRC(t)
	for without, want := range map[string]string{
		"domain": "opening port 1 of rxe0: ibv_open_xrcd: operation not supported",
		"queue":  "opening port 1 of rxe0: ibv_create_srq_ex: operation not supported",
		"target": "creating a queue pair on rxe0 for rank 1: ibv_create_qp_ex: operation not supported",
		"number": "creating a queue pair on rxe0 for rank 1: ibv_get_srq_num: operation not supported",
		"":       "want rc, uc or ud: device rxe_a has no XRC",
	} {
		set := map[string]string{"device": "rxe0", "service": "xrc"}
		if without == "" {
			set["device"] = "rxe_a"
		}
		os.Setenv("GOBENCH_XRC_WITHOUT", without)
		if _, _, err := tryAll(set, set); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("without %q: the error is %v, want %q in it", without, err, want)
		}
	}
	os.Unsetenv("GOBENCH_XRC_WITHOUT")
}
