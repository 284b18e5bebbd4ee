package protocol

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"gobench/device"
)

func fill(b []byte, seed int) []byte {
	for i := range b {
		b[i] = byte(seed*31 + i*7 + i>>8)
	}
	return b
}

// configurations are the ways a message can move.
func configurations() map[string]func() *board {
	all := map[string]func() *board{
		"pipeline": func() *board { return newBoard(3, 4) },
		"refused":  func() *board { b := newBoard(3, 4, Split, Put, Get); b.refuse = true; return b },
	}
	for _, m := range []Method{Get, Put, Split} {
		all[m.String()] = func() *board { return newBoard(3, 4, m) }
		all[m.String()+" pending"] = func() *board { b := newBoard(3, 4, m); b.pending = true; return b }
		all[m.String()+" busy"] = func() *board { b := newBoard(3, 4, m); b.busy = 5; return b }
	}
	return all
}

func TestEveryMethodMovesEverySize(t *testing.T) {
	sizes := []int{0, 1, 255, 256, 257, 1023, 1024, 1025, 4095, 8191, 8192, 8193, 50_000}
	for name, make1 := range configurations() {
		for _, early := range []bool{false, true} {
			for _, sync := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/unexpected=%v/sync=%v", name, early, sync), func(t *testing.T) {
					b := make1()
					all := b.devices(t, nil)
					for _, size := range sizes {
						oneTransfer(t, all, size, size, early, sync)
						if size > 0 {
							oneTransfer(t, all, size, size-1, early, sync)
						}
						oneTransfer(t, all, size, size+1, early, sync)
					}
					if len(b.memory) != 0 {
						t.Errorf("%d buffers are still registered", len(b.memory))
					}
				})
			}
		}
	}
}

func oneTransfer(t *testing.T, all []*Device, size, room int, early, sync bool) {
	t.Helper()
	out := fill(make([]byte, size), size)
	in := bytes.Repeat([]byte{0xEE}, room+64)
	post := func() device.Request {
		r, err := all[1].Irecv(in[:room:room], 0, 5, 9)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	var recv device.Request
	if !early {
		recv = post()
	}
	start := all[0].Isend
	if sync {
		start = all[0].Issend
	}
	send, err := start(out, 1, 5, 9)
	if err != nil {
		t.Fatal(err)
	}
	settleAll(all)
	if early {
		if sync && all[0].requests.lookup(send).state == complete {
			t.Fatal("a synchronous send is complete before its receive was posted")
		}
		recv = post()
		settleAll(all)
	}
	st, done, err := all[1].Test(recv)
	if !done {
		t.Fatalf("receive of %d bytes does not complete", size)
	}
	if want := (device.Status{Source: 0, Tag: 5, Size: size}); st != want {
		t.Errorf("status %+v, want %+v", st, want)
	}
	if (room < size) != errors.Is(err, device.ErrTruncated) {
		t.Errorf("%d bytes into %d: error %v", size, room, err)
	}
	n := min(size, room)
	if !bytes.Equal(in[:n], out[:n]) {
		t.Errorf("%d bytes into %d: data differ", size, room)
	}
	if !bytes.Equal(in[n:], bytes.Repeat([]byte{0xEE}, len(in)-n)) {
		t.Errorf("%d bytes into %d: written past the end", size, room)
	}
	if _, done, err := all[0].Test(send); !done || err != nil {
		t.Errorf("send of %d bytes: done %v, %v", size, done, err)
	}
}

// TestRandomTraffic runs random sends and receives in random order on every
// configuration and holds each receive against the order of MPI: for one
// source, context and tag the k-th receive gets the k-th message.
func TestRandomTraffic(t *testing.T) {
	for name, make1 := range configurations() {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(30) {
				rng := rand.New(rand.NewPCG(seed, 1))
				b := make1()
				all := b.devices(t, map[string]string{"eager_budget": "8KiB"})
				randomTraffic(t, rng, all)
				if t.Failed() {
					t.Fatalf("seed %d", seed)
				}
				if len(b.memory) != 0 {
					t.Fatalf("seed %d: %d buffers are still registered", seed, len(b.memory))
				}
			}
		})
	}
}

type flight struct {
	src, dst int
	tag      int32
	out, in  []byte
	send     device.Request
	recv     device.Request
}

func randomTraffic(t *testing.T, rng *rand.Rand, all []*Device) {
	const messages = 200
	flights := make([]*flight, messages)
	type lane struct {
		src, dst int
		tag      int32
	}
	toSend, toReceive := map[lane][]*flight{}, map[lane][]*flight{}
	var lanes []lane
	for i := range flights {
		l := lane{rng.IntN(3), rng.IntN(3), int32(rng.IntN(2))}
		f := &flight{src: l.src, dst: l.dst, tag: l.tag}
		f.out = fill(make([]byte, []int{0, 8, 200, 900, 1100, 20_000}[rng.IntN(6)]), i)
		f.in = make([]byte, len(f.out))
		flights[i] = f
		if toSend[l] == nil {
			lanes = append(lanes, l)
		}
		toSend[l], toReceive[l] = append(toSend[l], f), append(toReceive[l], f)
	}
	for left := 2 * messages; left > 0; {
		l := lanes[rng.IntN(len(lanes))]
		switch which := rng.IntN(4); {
		case which == 0 && len(toSend[l]) > 0:
			f := toSend[l][0]
			toSend[l] = toSend[l][1:]
			start := all[f.src].Isend
			if rng.IntN(5) == 0 {
				start = all[f.src].Issend
			}
			f.send, _ = start(f.out, f.dst, f.tag, 3)
			left--
		case which == 1 && len(toReceive[l]) > 0:
			f := toReceive[l][0]
			toReceive[l] = toReceive[l][1:]
			f.recv, _ = all[f.dst].Irecv(f.in, f.src, f.tag, 3)
			left--
		default:
			all[rng.IntN(3)].progress(device.AnySource)
		}
	}
	settleAll(all)
	for i, f := range flights {
		st, done, err := all[f.dst].Test(f.recv)
		if !done || err != nil || st.Size != len(f.out) || !bytes.Equal(f.in, f.out) {
			t.Errorf("message %d from %d to %d of %d bytes: done %v, error %v, size %d, data equal %v",
				i, f.src, f.dst, len(f.out), done, err, st.Size, bytes.Equal(f.in, f.out))
			return
		}
		if _, done, err := all[f.src].Test(f.send); !done || err != nil {
			t.Errorf("send %d: done %v, error %v", i, done, err)
		}
	}
	for _, d := range all {
		if len(d.backlog) > 0 || d.unexpected.head != nil || d.requests.live != 0 || d.requests.done.head != nil {
			t.Errorf("rank %d keeps something after the last message", d.rank)
		}
		for i := range d.peers {
			if f := d.peers[i].flow; f.held != 0 {
				t.Errorf("rank %d holds %d units of rank %d", d.rank, f.held, i)
			}
		}
	}
}

// TestControlPackets counts what a rendezvous costs beside the data.
func TestControlPackets(t *testing.T) {
	for method, want := range map[Method]map[kind]int{
		Get:   {kindRTS: 1, kindFin: 1},
		Put:   {kindRTS: 1, kindCTS: 1, kindFin: 1},
		Split: {kindRTS: 1, kindCTS: 1, kindFin: 2},
	} {
		b := newBoard(2, 10, method)
		oneTransfer(t, b.devices(t, nil), 100_000, 100_000, false, false)
		if fmt.Sprint(b.pushed) != fmt.Sprint(want) {
			t.Errorf("%v: packets by kind %v, want %v", method, b.pushed, want)
		}
	}
}

func TestCancel(t *testing.T) {
	b := newBoard(2, 100, Put)
	all := b.devices(t, nil)
	big := make([]byte, 5000)

	// A receive that nothing matched.
	r, _ := all[1].Irecv(big, 0, 1, 1)
	cancel(t, all[1], r)
	expect(t, all[1], r, true)

	// A rendezvous that is announced and unmatched.
	s, _ := all[0].Isend(big, 1, 1, 1)
	settleAll(all)
	cancel(t, all[0], s)
	settleAll(all)
	expect(t, all[0], s, true)
	if _, found, _ := all[1].Iprobe(0, 1, 1); found {
		t.Error("a withdrawn message is still there")
	}

	// The receive is posted while the cancel is on its way: the match wins.
	s, _ = all[0].Isend(big, 1, 2, 1)
	settleAll(all)
	cancel(t, all[0], s)
	r, _ = all[1].Irecv(big, 0, 2, 1)
	settleAll(all)
	expect(t, all[0], s, false)
	expect(t, all[1], r, false)

	// A send to self.
	s, _ = all[0].Issend(big, 0, 3, 1)
	cancel(t, all[0], s)
	expect(t, all[0], s, true)
	if len(b.memory) != 0 {
		t.Errorf("%d buffers are still registered", len(b.memory))
	}
}

func cancel(t *testing.T, d *Device, r device.Request) {
	t.Helper()
	if err := d.Cancel(r); err != nil {
		t.Fatal(err)
	}
}

func expect(t *testing.T, d *Device, r device.Request, cancelled bool) {
	t.Helper()
	st, done, err := d.Test(r)
	if !done || err != nil || st.Cancelled != cancelled {
		t.Errorf("done %v, error %v, cancelled %v; want it done and cancelled %v", done, err, st.Cancelled, cancelled)
	}
}
