//go:build verbs && cgo

package verbs

import (
	"context"
	"errors"
	"sync"
	"testing"

	"gobench/device"
	"gobench/device/protocol"
)

// openLinks opens the raw channels of two ranks of this process and links memory of theirs.
func openLinks(t *testing.T, set map[string]string, length int) (channels [2]device.Channel, links [2]device.Link, out, in [2][]byte) {
	t.Helper()
	var errs [2]error
	var both sync.WaitGroup
	for i, job := range members(2) {
		both.Go(func() {
			opts, err := device.ParseOptions(driver{}.Options(), set)
			if err == nil {
				channels[i], err = openRaw(context.Background(), job, opts)
			}
			if err == nil {
				out[i], in[i] = make([]byte, length), make([]byte, length)
				links[i], err = channels[i].(device.Linker).Link(1-i, out[i], in[i])
			}
			errs[i] = err
		})
	}
	both.Wait()
	if err := errors.Join(errs[:]...); err != nil {
		t.Fatal(err)
	}
	return channels, links, out, in
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
		err := links[0].Get(1, 1, nil)
		var dead *device.PeerError
		if !errors.As(err, &dead) || dead.Rank != 1 {
			t.Errorf("loop %s: the error is %v", loop, err)
		}
		if err := links[0].PutPong(10, true, nil); !errors.As(err, &dead) {
			t.Errorf("loop %s: afterwards the error is %v", loop, err)
		}
		wireOf(channels[0]).abandon()
	}
}

// What is timed allocates nothing.
func TestMovesAllocateNothing(t *testing.T) {
	for _, loop := range []string{"native", "go"} {
		_, links, _, _ := openLinks(t, map[string]string{"device": "rxe0", "qps": "2", "loop": loop}, 64)
		var stamps device.Stamps
		at := make([]int64, 2)
		if n := testing.AllocsPerRun(20, func() {
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
