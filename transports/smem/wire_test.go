package smem

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"unsafe"

	"gobench/device"
	"gobench/device/protocol"
)

// heard keeps what a wire delivers.
type heard struct {
	protocol.Sink
	packets  []protocol.Header
	data     [][]byte
	from     []int
	ended    map[uint64]error
	failures map[int]string
	goodbyes []uint64 // words of goodbyes, each after as many packets as in after
	after    []int
}

func (s *heard) Goodbye(_ int, word uint64) {
	s.goodbyes, s.after = append(s.goodbyes, word), append(s.after, len(s.packets))
}

func (s *heard) Packet(src int, h protocol.Header, data []byte) {
	s.packets = append(s.packets, h)
	s.data = append(s.data, bytes.Clone(data))
	s.from = append(s.from, src)
}

func (s *heard) Completed(token uint64, err error) {
	if s.ended == nil {
		s.ended = map[uint64]error{}
	}
	s.ended[token] = err
}

func (s *heard) Failed(peer int, cause string) {
	if s.failures == nil {
		s.failures = map[int]string{}
	}
	s.failures[peer] += cause
}

// goroutineWires opens a job of goroutines.
func goroutineWires(t testing.TB, size, ring int) []*wire {
	t.Helper()
	return waitingWires(t, size, ring, "auto")
}

// waitingWires opens a job of goroutines with a value of the option wait.
func waitingWires(t testing.TB, size, ring int, wait string) []*wire {
	t.Helper()
	wires := make([]*wire, size)
	var group sync.WaitGroup
	for _, job := range goroutineJobs(size) {
		group.Go(func() {
			w, err := openWire(context.Background(), job, nil, ring, cmaAuto, wait)
			if err != nil {
				t.Error(err)
				return
			}
			wires[job.Rank()] = w
		})
	}
	group.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return wires
}

func TestGoroutinesAllToAll(t *testing.T) {
	const size, packets = 5, 2000
	wires := goroutineWires(t, size, minRing)
	var group sync.WaitGroup
	for rank, w := range wires {
		group.Go(func() {
			var s heard
			sent := make([]int, size)
			got := func() bool { return len(s.packets) == (size-1)*packets }
			for done := 0; done < size-1 || !got(); {
				done = 0
				for to := range wires {
					if to == rank {
						continue
					}
					if sent[to] == packets {
						done++
						continue
					}
					data := make([]byte, (sent[to]*13)%900)
					pattern(data, uint64(sent[to]))
					if w.Push(to, protocol.Header{W0: uint64(sent[to])}, data) {
						sent[to]++
					}
				}
				if !w.Poll(device.AnySource, &s) {
					runtime.Gosched()
				}
			}
			next := make([]int, size)
			for i, h := range s.packets {
				from := s.from[i]
				want := make([]byte, (next[from]*13)%900)
				pattern(want, uint64(next[from]))
				if int(h.W0) != next[from] || !bytes.Equal(s.data[i], want) {
					t.Errorf("rank %d: packet %d of rank %d came as %d", rank, next[from], from, h.W0)
					return
				}
				next[from]++
			}
		})
	}
	group.Wait()
	for _, w := range wires {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestHintDoesNotStarve: whoever is waited for, the others are served within a
// bounded number of polls.
func TestHintDoesNotStarve(t *testing.T) {
	const size = 7
	wires := goroutineWires(t, size, minRing)
	wires[6].Push(0, protocol.Header{W0: 77}, nil)
	var s heard
	for range size {
		wires[0].Poll(1, &s)
	}
	if len(s.packets) != 1 || s.packets[0].W0 != 77 {
		t.Fatalf("rank 6 was not heard in %d polls for rank 1", size)
	}
	wires[0].Poll(0, &s) // waiting for oneself is no error
}

func TestClosedPeerIsReportedAfterItsPackets(t *testing.T) {
	wires := goroutineWires(t, 3, minRing)
	wires[2].Push(0, protocol.Header{W0: 1}, []byte("last words"))
	if err := wires[2].Close(); err != nil {
		t.Fatal(err)
	}
	var s heard
	wires[0].Idle(&s)
	wires[0].Idle(&s)
	if len(s.packets) != 1 || s.failures[2] != "it has closed its device" || len(s.failures) != 1 {
		t.Fatalf("packets %v, failures %v", s.packets, s.failures)
	}
}

func TestDirectTransfers(t *testing.T) {
	wires := goroutineWires(t, 2, minRing)
	mine, theirs := make([]byte, 3*chunk+17), make([]byte, 3*chunk+17)
	pattern(theirs, 3)
	key, err := wires[1].Register(theirs)
	if err != nil {
		t.Fatal(err)
	}
	var s heard
	if got := wires[0].Get(1, key, 17, mine[:3*chunk], protocol.Key{}, 5); got != protocol.Pending {
		t.Fatalf("a get of several chunks is %v", got)
	}
	for s.ended == nil {
		wires[0].Poll(1, &s)
	}
	if err := s.ended[5]; err != nil || !bytes.Equal(mine[:3*chunk], theirs[17:]) {
		t.Fatalf("get: %v", err)
	}
	pattern(mine, 9)
	wires[0].Put(1, key, 0, mine, protocol.Key{}, 6)
	if wires[0].Push(1, protocol.Header{}, nil) {
		t.Error("a packet must not overtake a put")
	}
	for _, ok := s.ended[6]; !ok; _, ok = s.ended[6] {
		wires[0].Poll(1, &s)
	}
	if !bytes.Equal(mine, theirs) {
		t.Fatal("put: the data is wrong")
	}
	if !wires[0].Push(1, protocol.Header{}, nil) {
		t.Error("the packet is refused after the put")
	}
	if got := wires[0].Get(1, key, len(theirs)-3, mine[:4], protocol.Key{}, 7); got != protocol.Pending {
		t.Fatal("a get past the end must be reported by Completed")
	}
	wires[0].Poll(1, &s)
	var broken *device.ProtocolError
	if !errors.As(s.ended[7], &broken) || broken.Rank != 1 {
		t.Errorf("a get past the end ends with %v", s.ended[7])
	}
}

func TestAllocInOneAddressSpace(t *testing.T) {
	w := goroutineWires(t, 2, minRing)[0]
	for _, n := range []int{0, 1, 4096, 100000} {
		b, err := w.Alloc(n)
		if err != nil || len(b) != n {
			t.Fatalf("Alloc(%d): %d bytes, %v", n, len(b), err)
		}
		if a := uintptr(unsafe.Pointer(unsafe.SliceData(b))); a%pageSize != 0 {
			t.Errorf("Alloc(%d) is not page aligned", n)
		}
		if err := w.Free(b); err != nil {
			t.Error(err)
		}
		if err := w.Free(b); err == nil {
			t.Error("freeing twice is no error")
		}
	}
	if _, err := w.Alloc(-1); err == nil {
		t.Error("Alloc(-1) is no error")
	}
}

func TestDistance(t *testing.T) {
	wires := goroutineWires(t, 3, minRing)
	for _, pair := range [][2]int{{0, 2}, {2, 1}, {0, 2}} {
		var group sync.WaitGroup
		for i := range 2 {
			group.Go(func() {
				d, err := wires[pair[i]].coreLatency(pair[1-i], 0, 50)
				if err != nil || d <= 0 {
					t.Errorf("core latency of %v: %v, %v", pair, d, err)
				}
			})
		}
		group.Wait()
	}
	for _, bad := range [][2]int{{-1, 5}, {3, 5}, {0, 5}, {1, 0}} {
		var argument *device.ArgumentError
		if _, err := wires[0].coreLatency(bad[0], 0, bad[1]); !errors.As(err, &argument) {
			t.Errorf("coreLatency(%d, 0, %d): %v", bad[0], bad[1], err)
		}
	}
	wires[1].Close()
	var lost *device.PeerError
	if _, err := wires[0].coreLatency(1, 0, 5); !errors.As(err, &lost) || lost.Rank != 1 {
		t.Errorf("core latency to a closed peer: %v", err)
	}
}

func TestLayout(t *testing.T) {
	for _, ranks := range []int{1, 2, 3, 8, 64, 256} {
		l := newLayout(ranks, -1)
		if total := l.fileSize(); total > 512<<20 {
			t.Errorf("%d ranks take %d MiB", ranks, total>>20)
		}
		if pages := l.headers() / pageSize; pages > 1+ranks/8 {
			t.Errorf("%d ranks: a rank that reads all headers maps %d pages", ranks, pages)
		}
		last := newSegment(make([]byte, l.fileSize()), l, ranks-1)
		if last.word(wordBell) == nil || len(last.mem) != l.size() {
			t.Errorf("%d ranks: the last segment has %d bytes, want %d", ranks, len(last.mem), l.size())
		}
		seen := map[string]bool{}
		for owner := range ranks {
			for sender := range ranks {
				if sender == owner {
					continue
				}
				at := l.ring(owner, sender)
				if at < l.ringStart() || at+l.ringBytes() > l.size() || at%lineSize != 0 {
					t.Fatalf("%d ranks: ring %d to %d at %d of %d", ranks, sender, owner, at, l.size())
				}
				where := fmt.Sprint(owner, at)
				if seen[where] {
					t.Fatalf("%d ranks: two rings at %s", ranks, where)
				}
				seen[where] = true
				if l.area == 0 || owner > sender {
					continue
				}
				segment, at := l.areaOf(owner, sender)
				if other, same := l.areaOf(sender, owner); segment != other || at != same {
					t.Fatalf("%d ranks: %d and %d do not agree on their area", ranks, owner, sender)
				}
				if at < l.areaStart() || at+l.area > l.size() || at%lineSize != 0 {
					t.Fatalf("%d ranks: area of %d and %d at %d of %d", ranks, owner, sender, at, l.size())
				}
				if where = fmt.Sprint(segment, at); seen[where] {
					t.Fatalf("%d ranks: two areas at %s", ranks, where)
				}
				seen[where] = true
			}
		}
	}
	if l := newLayout(2, 5000); l.data != 8192 {
		t.Errorf("ring_bytes 5000 gives %d", l.data)
	}
	if l := newLayout(2, 1); l.packet() < 256 {
		t.Errorf("smallest packet is %d", l.packet())
	}
}
