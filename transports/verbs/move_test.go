//go:build verbs && cgo

package verbs

import (
	"context"
	"errors"
	"sync"
	"testing"

	"gobench/device"
	"gobench/device/protocol"
	"gobench/internal/allocs"
)

// openChannels opens the raw channels of two ranks of this process.
func openChannels(t *testing.T, set map[string]string) (channels [2]device.Channel) {
	t.Helper()
	bothRanks(t, func(i int, job device.Job) error {
		opts, err := device.ParseOptions(driver{}.Options(), set)
		if err == nil {
			channels[i], err = openRaw(context.Background(), job, opts)
		}
		return err
	})
	return channels
}

// openLinks links memory of theirs, too.
func openLinks(t *testing.T, set map[string]string, length int) (channels [2]device.Channel, links [2]device.Link, out, in [2][]byte) {
	t.Helper()
	channels = openChannels(t, set)
	bothRanks(t, func(i int, _ device.Job) (err error) {
		out[i], in[i] = make([]byte, length), make([]byte, length)
		links[i], err = channels[i].(device.Linker).Link(1-i, out[i], in[i])
		return err
	})
	return channels, links, out, in
}

func bothRanks(t *testing.T, do func(i int, job device.Job) error) {
	t.Helper()
	var errs [2]error
	var both sync.WaitGroup
	for i, job := range members(2) {
		both.Go(func() { errs[i] = do(i, job) })
	}
	both.Wait()
	if err := errors.Join(errs[:]...); err != nil {
		t.Fatal(err)
	}
}

// Puts and gets of every kind bring what they should, over one queue pair and several, from C and from Go; messages
// that come meanwhile are not lost.
func TestMoves(t *testing.T) {
	for _, set := range []map[string]string{
		{"device": "rxe0"},
		{"device": "rxe0", "qps": "4"},
		{"device": "rxe0", "qps": "3", "exchange": "rdmacm", "loop": "go"},
		{"device": "siw0", "qps": "2"},
		{"device": "siw0", "loop": "go", "queue": "8"},
	} {
		for _, length := range []int{1, 8, 5000} {
			channels, links, out, in := openLinks(t, set, length)
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

// A peer that dies ends a move.
func TestMoveToADeadPeer(t *testing.T) {
	for _, loop := range []string{"native", "go"} {
		channels, links, _, _ := openLinks(t, map[string]string{"device": "rxe0", "qps": "2", "loop": loop, "peer_timeout": "100"}, 64)
		wireOf(channels[1]).abandon()
		var dead *device.PeerError
		if err := links[0].PutPong(10, false, nil); !errors.As(err, &dead) || dead.Rank != 1 { // nothing is sent: it looks for the first put
			t.Errorf("loop %s, waiting: the error is %v", loop, err)
		}
		wireOf(channels[0]).abandon()
		channels, links, _, _ = openLinks(t, map[string]string{"device": "rxe0", "qps": "2", "loop": loop, "peer_timeout": "100"}, 64)
		wireOf(channels[1]).abandon()
		if err := links[0].Get(1, 1, nil); !errors.As(err, &dead) || dead.Rank != 1 {
			t.Errorf("loop %s: the error is %v", loop, err)
		}
		if err := links[0].PutPong(10, true, nil); !errors.As(err, &dead) {
			t.Errorf("loop %s: afterwards the error is %v", loop, err)
		}
		wireOf(channels[0]).abandon()
	}
}

// A put is one request, and longer than the port takes it cannot be.
func TestMoveBeyondTheLimit(t *testing.T) {
	channels := openChannels(t, map[string]string{"device": "rxe0"})
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
func TestMovesAllocateNothing(t *testing.T) {
	for _, loop := range []string{"native", "go"} {
		_, links, _, _ := openLinks(t, map[string]string{"device": "rxe0", "qps": "2", "loop": loop}, 64)
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
	opts, err := device.ParseOptions(driver{}.Options(), map[string]string{"qps": "2"})
	if err != nil {
		t.Fatal(err)
	}
	var wrong *device.ValueError
	if _, err := open(context.Background(), alone{}, opts); !errors.As(err, &wrong) || wrong.Option != "qps" {
		t.Errorf("the error is %v", err)
	}
}

func wireOf(c device.Channel) *wire {
	switch c := c.(type) {
	case protocol.RawLinker:
		return c.Mover().(*wire)
	case protocol.RawLoopLinker:
		return c.Mover().(*wire)
	}
	return nil
}
