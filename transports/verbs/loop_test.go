//go:build verbs && cgo

package verbs

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"testing"

	"gobench/device"
	"gobench/device/protocol"
	"gobench/internal/allocs"
)

// openChannels opens the raw channels of two ranks of this process, and returns their wires, too.
func openChannels(t *testing.T, set map[string]string) (channels [2]device.Channel, wires [2]*wire) {
	t.Helper()
	wires, configs := openPair(t, set)
	for i, w := range wires {
		raw, err := protocol.NewRaw(w, configs[i])
		if err != nil {
			t.Fatal(err)
		}
		channels[i] = protocol.Linking(raw, w)
	}
	return channels, wires
}

// openLinks links memory of theirs, too.
func openLinks(t *testing.T, set map[string]string, length int) (channels [2]device.Channel, wires [2]*wire, links [2]device.Link, out, in [2][]byte) {
	t.Helper()
	channels, wires = openChannels(t, set)
	var errs [2]error
	var both sync.WaitGroup
	for i := range 2 {
		both.Go(func() {
			out[i], in[i] = make([]byte, length), make([]byte, length)
			links[i], errs[i] = channels[i].(device.Linker).Link(1-i, out[i], in[i])
		})
	}
	both.Wait()
	if err := errors.Join(errs[:]...); err != nil {
		t.Fatal(err)
	}
	return channels, wires, links, out, in
}

// Puts and gets of every kind bring what they should, over one queue pair and several, from C and
// from Go; messages that come meanwhile are not lost.
func TestPutsAndGets(t *testing.T) {
	for _, set := range []map[string]string{
		{"device": "rxe0", "loop": "native"},
		{"device": "rxe0", "loop": "native", "qps": "4"},
		{"device": "rxe0", "qps": "3", "exchange": "rdmacm"},
		{"device": "siw0", "loop": "native", "qps": "2"},
		{"device": "siw0", "queue": "8"},
	} {
		for _, length := range []int{1, 5000} { // one packet and two
			channels, _, links, out, in := openLinks(t, set, length)
			var both sync.WaitGroup
			for i := range 2 {
				both.Go(func() {
					c, l := channels[i], links[i]
					must := func(err error) {
						if err != nil {
							t.Errorf("%v, %d bytes, rank %d: %v", set, length, i, err)
						}
					}
					var stamps device.Stamps
					stamps.Begin(make([]int64, 100), 3, monotonic)
					begin := monotonic()
					must(l.PutPong(300, i == 0, &stamps))
					checkStamps(t, &stamps, begin)
					if got := in[i][length-1]; got != byte(300%256) {
						t.Errorf("%v, %d bytes, rank %d: the last byte is %d after 300 rounds", set, length, i, got)
					}
					token := make([]byte, 1)
					meet := func() {
						must(c.Send(token, 1-i, 0, 0))
						_, err := c.Recv(token, 1-i, 0, 0)
						must(err)
					}
					meet()
					if i == 0 {
						for j := range out[0] {
							out[0][j] = byte(j) + 7
						}
						stamps.Begin(make([]int64, 3), 1, monotonic)
						begin = monotonic()
						must(l.Put(3, 200, &stamps))
						checkStamps(t, &stamps, begin)
						_, err := c.Recv(token, 1, 0, 0)
						must(err)
						if token[0] != 42 {
							t.Errorf("%v: the message in between is %d", set, token[0])
						}
						meet()
						meet()
						clear(out[0])
						must(l.Get(2, 50, nil))
						for j, b := range out[0] {
							if b != byte(j)+9 {
								t.Errorf("%v, %d bytes: byte %d is %d", set, length, j, b)
								break
							}
						}
					} else {
						must(c.Send([]byte{42}, 0, 0, 0)) // in the middle of the puts
						meet()
						for j, b := range in[1] {
							if b != byte(j)+7 {
								t.Errorf("%v, %d bytes: byte %d is %d", set, length, j, b)
								break
							}
							in[1][j] += 2
						}
						meet()
					}
					meet()
					l.Close()
					must(c.Close())
				})
			}
			both.Wait()
		}
	}
}

// A peer that dies ends a loop.
func TestLoopToADeadPeer(t *testing.T) {
	for _, loop := range []string{"native", "go"} {
		_, wires, links, _, _ := openLinks(t, map[string]string{"device": "rxe0", "qps": "2", "loop": loop, "peer_timeout": "100"}, 64)
		wires[1].abandon()
		var dead *device.PeerError
		// nothing is sent: it looks for the first put
		if err := links[0].PutPong(10, false, nil); !errors.As(err, &dead) || dead.Rank != 1 {
			t.Errorf("loop %s, waiting: the error is %v", loop, err)
		}
		wires[0].abandon()
		_, wires, links, _, _ = openLinks(t, map[string]string{"device": "rxe0", "qps": "2", "loop": loop, "peer_timeout": "100"}, 64)
		wires[1].abandon()
		if err := links[0].Get(1, 1, nil); !errors.As(err, &dead) || dead.Rank != 1 {
			t.Errorf("loop %s: the error is %v", loop, err)
		}
		if err := links[0].PutPong(10, true, nil); !errors.As(err, &dead) {
			t.Errorf("loop %s: afterwards the error is %v", loop, err)
		}
		wires[0].abandon()
	}
}

// A ping-pong in C and the same channel's sends and receives take turns without losing count.
func TestPingPong(t *testing.T) {
	for _, size := range []int{1, 8, 200, 4000, 70_000} {
		rounds := max(4, min(50, 50_000/size))
		channels, _ := openChannels(t, map[string]string{"eager_budget": "64KiB", "credits": "4", "loop": "native"})
		var both sync.WaitGroup
		for rank := range 2 {
			both.Go(func() {
				d := channels[rank]
				out, in := bytes.Repeat([]byte{byte(1 + rank)}, size), make([]byte, size)
				for round := range 5 {
					var stamps device.Stamps
					stamps.Begin(make([]int64, rounds/2), 2, monotonic)
					begin := monotonic()
					if err := d.(device.Linker).PingPong(out, in, 1-rank, rounds/2*2, rank == 0, &stamps); err != nil {
						t.Errorf("rank %d: %v", rank, err)
					}
					checkStamps(t, &stamps, begin)
					if in[0] != byte(2-rank) || in[size-1] != byte(2-rank) {
						t.Errorf("rank %d received %d ... %d, want %d", rank, in[0], in[size-1], 2-rank)
					}
					clear(in)
					var err error
					if (round%2 == 0) == (rank == 0) {
						err = d.Send(out, 1-rank, 0, 0)
					} else {
						_, err = d.Recv(in, 1-rank, 0, 0)
					}
					if err != nil {
						t.Errorf("rank %d: %v", rank, err)
					}
				}
				if err := d.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		both.Wait()
	}
}

// A loop returns after a bounded number of steps, so that other peers are served, however many
// rounds are left.
func TestLoopReturns(t *testing.T) {
	for _, mode := range []string{"native", "go"} {
		wires, _ := openPair(t, map[string]string{"device": "rxe0", "loop": mode})
		out, in := make([]byte, 64), make([]byte, 64)
		mine, err := wires[0].Register(out)
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := wires[1].Register(in)
		if err != nil {
			t.Fatal(err)
		}
		const rounds = 10 * loopSteps
		wires[0].Begin(1, &protocol.Loop{Kind: protocol.LoopPut, Left: rounds, Each: 1, Out: out, In: out, Mine: mine, Theirs: theirs})
		for left, calls := uint32(rounds), 0; left > 0; calls++ {
			if calls > 100_000 {
				t.Fatalf("loop %s: %d rounds are left after %d calls", mode, left, calls)
			}
			wires[0].Continue()
			now := wires[0].loop.Left
			if left-now > loopSteps {
				t.Fatalf("loop %s: a call has done %d rounds", mode, left-now)
			}
			left = now
			wires[0].Poll(1, new(sinkRecord))
		}
		for _, w := range wires {
			w.abandon()
		}
	}
}

// A put is one request, and longer than the port takes it cannot be.
func TestPutBeyondTheLimit(t *testing.T) {
	channels, _ := openChannels(t, map[string]string{"device": "rxe0"})
	var both sync.WaitGroup
	for i, c := range channels {
		both.Go(func() {
			b := make([]byte, 8<<20+1) // soft-RoCE takes 8 MiB
			var wrong *device.ArgumentError
			if _, err := c.(device.Linker).Link(1-i, b, b); !errors.As(err, &wrong) {
				t.Errorf("rank %d: the error is %v", i, err)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
}

// What is timed allocates nothing.
func TestLoopsAllocateNothing(t *testing.T) {
	for _, loop := range []string{"native", "go"} {
		_, _, links, _, _ := openLinks(t, map[string]string{"device": "rxe0", "qps": "2", "loop": loop}, 64)
		var stamps device.Stamps
		at := make([]int64, 2)
		if n := allocs.Count(20, func() {
			links[0].Put(2, 20, nil)
			stamps.Begin(at, 1, monotonic)
			links[0].Get(2, 5, &stamps)
		}); n != 0 {
			t.Errorf("loop %s: %v allocations", loop, n)
		}
	}
}

// Several queue pairs are for level raw.
func TestQueuePairsKeepNoOrder(t *testing.T) {
	opts, err := device.ParseOptions(driver.Options(), map[string]string{"qps": "2"})
	if err != nil {
		t.Fatal(err)
	}
	var wrong *device.ValueError
	if _, err := driver.Open(context.Background(), alone{}, opts); !errors.As(err, &wrong) || wrong.Option != "qps" {
		t.Errorf("the error is %v", err)
	}
}
