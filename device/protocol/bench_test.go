package protocol

import (
	"testing"

	"gobench/device"
	"gobench/internal/allocs"
)

// slotWire is the cheapest wire there can be: a queue of slots in one
// goroutine. What remains is the cost of the protocol.
type slotWire struct {
	rank  int
	slots *[2][8]slot
	head  int
	tail  int
}

type slot struct {
	full bool
	h    Header
	n    int
	data [256]byte
}

func (w *slotWire) Push(peer int, h Header, data []byte) bool {
	s := &w.slots[peer][w.tail&7]
	if s.full {
		return false
	}
	w.tail++
	s.h, s.n, s.full = h, copy(s.data[:], data), true
	return true
}

func (w *slotWire) Poll(from int, sink Sink) bool {
	s := &w.slots[w.rank][w.head&7]
	if !s.full {
		return false
	}
	sink.Packet(1-w.rank, s.h, s.data[:s.n])
	s.full = false
	w.head++
	return true
}

func (w *slotWire) Idle(Sink)      {}
func (w *slotWire) Close() error   { return nil }
func (w *slotWire) Limits() Limits { return Limits{Packet: 256, EagerLimit: 256} }

func slotChannels(t testing.TB, raw bool) [2]device.Channel {
	opts, err := device.ParseOptions(Options(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var all [2]device.Channel
	slots := new([2][8]slot)
	for rank := range all {
		c := Config{Transport: "slot", Rank: rank, Size: 2, LocalSize: 1, Options: opts}
		w := &slotWire{rank: rank, slots: slots}
		if raw {
			all[rank], err = NewRaw(w, c)
		} else {
			all[rank], err = New(w, c)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func pingPong(all [2]device.Channel, buf, in []byte) {
	all[0].Send(buf, 1, 1, 1)
	all[1].Recv(in, 0, 1, 1)
	all[1].Send(buf, 0, 1, 1)
	all[0].Recv(in, 1, 1, 1)
}

func nonBlocking(all [2]device.Channel, buf, in []byte) {
	r, _ := all[1].Irecv(in, 0, 1, 1)
	s, _ := all[0].Isend(buf, 1, 1, 1)
	all[0].Wait(s)
	all[1].Wait(r)
}

// BenchmarkProtocol is the cost of one message at both ends, without a wire.
func BenchmarkProtocol(b *testing.B) {
	buf, in := make([]byte, 8), make([]byte, 8)
	for _, raw := range []bool{false, true} {
		name := "device"
		if raw {
			name = "raw"
		}
		all := slotChannels(b, raw)
		b.Run(name+"/blocking", func(b *testing.B) {
			for b.Loop() {
				pingPong(all, buf, in)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(2*b.N), "ns/message")
		})
		b.Run(name+"/non-blocking", func(b *testing.B) {
			for b.Loop() {
				nonBlocking(all, buf, in)
			}
		})
	}
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	for _, raw := range []bool{false, true} {
		all := slotChannels(t, raw)
		for _, size := range []int{0, 8, 256, 1000} {
			buf, in := make([]byte, size), make([]byte, size)
			exchange := func() {
				if size <= 256 {
					pingPong(all, buf, in)
				}
				r, _ := all[1].Irecv(in, 0, 1, 1)
				s, _ := all[0].Isend(buf, 1, 1, 1)
				for done := 0; done < 2; {
					if _, ok, _ := all[0].Test(s); ok {
						done++
					}
					if _, ok, _ := all[1].Test(r); ok {
						done++
					}
				}
			}
			for range 100 {
				exchange()
			}
			if n := allocs.Count(1000, exchange); n != 0 {
				t.Errorf("raw %v, %d bytes: %v allocations", raw, size, n)
			}
		}
	}
}
