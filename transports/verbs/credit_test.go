//go:build verbs && cgo

package verbs

import (
	"bytes"
	"fmt"
	"maps"
	"testing"

	"gobench/device"
	"gobench/device/protocol"
	"gobench/transports/verbs/ibv"
)

// With the fewest credits every packet waits for one, and still no packet ever finds no receive
// buffer.
func TestReceiverIsAlwaysReady(t *testing.T) {
	before := counter(t, "rxe0", "rcvd_rnr_err") + counter(t, "rxe0", "send_rnr_err")
	for _, srq := range []string{"off", "on"} {
		wires, _ := openPair(t, map[string]string{"credits": "4", "srq": srq})
		sinks := [2]*sinkRecord{new(sinkRecord), new(sinkRecord)}
		const packets = 2000
		var sent [2]int
		spin(t, wires, sinks, func() bool {
			for i, w := range wires {
				for sent[i] < packets && w.Push(1-i, protocol.Header{W0: 1}, make([]byte, 100)) {
					sent[i]++
				}
			}
			return sinks[0].packets == packets && sinks[1].packets == packets
		})
		for _, w := range wires {
			w.abandon()
		}
	}
	if n := counter(t, "rxe0", "rcvd_rnr_err") + counter(t, "rxe0", "send_rnr_err") - before; n != 0 {
		t.Errorf("a packet found no receive buffer %d times", n)
	}
}

// A rank whose buffers to send from are all under way cannot tell a peer of freed receive buffers.
// It does once there is room, though nothing comes any more: the peer has used up its credits and
// waits.
func TestCreditsWaitForRoom(t *testing.T) {
	const queue, credits = 8, 6 // as many credits as a send queue of 8 has room for packets
	run(t, "tc", "qdisc", "replace", "dev", "va", "root", "netem", "delay", "100ms")
	defer run(t, "tc", "qdisc", "del", "dev", "va", "root")
	set := map[string]string{"device": "rxe_b", "queue": fmt.Sprint(queue), "credits": fmt.Sprint(credits), "inline": "0", "exchange": "tcp"}
	slow := maps.Clone(set)
	slow["device"] = "rxe_a"
	wires, _ := openAll(t, slow, set, set, set)
	for _, w := range wires {
		defer w.abandon()
	}
	push := func(from, to int) (n int) {
		for wires[from].Push(to, protocol.Header{W0: 1}, make([]byte, 100)) {
			n++
		}
		return n
	}
	sinks := [2]*sinkRecord{new(sinkRecord), new(sinkRecord)}
	if a, b, c := push(0, 3), push(0, 2), push(0, 1); a+b+c != 2*queue {
		t.Fatalf("rank 0 sends %d, %d and %d packets, want %d in all, which is all buffers that it has to send from", a, b, c, 2*queue)
	}
	if n := push(1, 0); n != credits {
		t.Fatalf("rank 1 sends %d packets, want all that it has credits for, %d", n, credits)
	}
	for sinks[0].packets < credits {
		wires[0].Poll(device.AnySource, sinks[0])
	}
	more := 0
	spin(t, [2]*wire(wires[:2]), sinks, func() bool { more += push(1, 0); return more > 0 })
}

// A packet that TCP has yet to send again keeps its bytes, though requests behind it have completed
// and its buffer could be used again: on iWARP a completion means that TCP has the data.
func TestPacketsInFlightKeepTheirBytes(t *testing.T) {
	wires, _ := openPair(t, map[string]string{"device": "siw0", "peer_timeout": "4000"})
	for _, w := range wires {
		defer w.abandon()
	}
	arrived, changed := 0, 0
	sinks := [2]*sinkRecord{new(sinkRecord), {look: func(h protocol.Header, data []byte) {
		if h.W2 != uint64(arrived) || bytes.Count(data, []byte{byte(arrived)}) != 5000 {
			changed++
		}
		arrived++
	}}}
	const packets = 60                                                             // less than the credits
	run(t, "tc", "qdisc", "replace", "dev", "lo", "root", "netem", "loss", "100%") // over which a host talks to itself
	for i := range packets {
		if !wires[0].Push(1, protocol.Header{W0: 1, W2: uint64(i)}, bytes.Repeat([]byte{byte(i)}, 5000)) {
			t.Fatalf("there is no room for packet %d", i)
		}
		wires[0].Poll(device.AnySource, sinks[0]) // takes what has completed
	}
	early := sinks[1].packets
	run(t, "tc", "qdisc", "del", "dev", "lo", "root")
	spin(t, wires, sinks, func() bool { return sinks[1].packets == packets || sinks[1].failed != "" })
	if changed > 0 || early > 0 || sinks[1].packets < packets {
		t.Errorf("of %d packets %d came, %d before the network carried any, %d changed: %q", packets, sinks[1].packets, early, changed, sinks[1].failed)
	}
}

// With a shared receive queue a packet is told whose it is by the number of its queue pair. A queue
// that has been dropped does not hide another one whose number falls on the same place of the
// table.
func TestSharedQueueFindsItsPeer(t *testing.T) {
	if err := ibv.Load(); err != nil {
		t.Fatal(err)
	}
	config := ibv.Config{Peers: 2, Credits: 4, Buffer: 256, Depth: 8, Slots: 16, Inline: 0, Shared: true, Port: 1}
	open := func() *ibv.Rail {
		r, err := ibv.Open("rxe0", config)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(r.Close)
		return r
	}
	create := func(r *ibv.Rail, queue int) uint32 {
		n, err := r.Create(queue)
		if err != nil {
			t.Fatal(err)
		}
		return n.Receiver
	}
	receiver, sender := open(), open()
	first := create(receiver, 0)
	const slots = 8 // of the table of two queues
	config.Peers, config.Shared = slots, false
	for i, between := 0, open(); (create(between, i)+1)%slots != first%slots; i++ {
	}
	second := create(receiver, 1)
	if second%slots != first%slots {
		t.Fatalf("queue pairs %d and %d: numbers do not go up one by one", first, second)
	}
	at, err := chooseAddresses(hcas(sysfs), settings{devices: []string{"rxe0"}, gid: -1}, 0)
	if err != nil {
		t.Fatal(err)
	}
	gid := at[0].gid
	path := ibv.Path{Global: true, GIDIndex: gid.index, Timeout: 14, Retries: retries, Reads: 1}
	to := ibv.Address{GID: gid.addr, MTU: 3}
	to.Receiver = create(sender, 0)
	if err := receiver.Connect(1, 0, to, path); err != nil {
		t.Fatal(err)
	}
	to.Receiver = second
	if err := sender.Connect(0, 0, to, path); err != nil {
		t.Fatal(err)
	}
	receiver.Drop(0)
	if s := sender.Send(0, [3]uint64{1, 2, 3}, []byte("x"), true); s != 0 {
		t.Fatal(s.Err("ibv_post_send"))
	}
	for !sender.Drained(0) {
		if _, err := sender.Poll(64); err != nil {
			t.Fatal(err)
		}
	}
	events, err := receiver.Poll(1 << 16)
	if err != nil || len(events) != 1 || events[0].Queue != 1 || string(events[0].Data()) != "x" {
		t.Errorf("the peer's packet comes as %+v, %v", events, err)
	}
}
