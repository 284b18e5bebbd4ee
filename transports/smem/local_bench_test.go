package smem

import (
	"context"
	"sync"
	"testing"

	"gobench/device"
	"gobench/device/protocol"
)

// nothing is the cheapest sink.
type nothing struct {
	protocol.Sink
	got int
}

func (n *nothing) Packet(int, protocol.Header, []byte) { n.got++ }
func (n *nothing) Completed(uint64, error)             {}
func (n *nothing) Failed(int, string)                  {}

// BenchmarkLocal measures the instructions of Push and Poll when no cache
// line has to travel: both ends in one goroutine.
func BenchmarkLocal(b *testing.B) {
	wires := goroutineWires(b, 2, -1)
	var from, to protocol.Wire = wires[0], wires[1]
	data := make([]byte, 8)
	var s nothing
	b.Run("PushPoll8", func(b *testing.B) {
		for b.Loop() {
			from.Push(1, protocol.Header{W0: 1}, data)
			to.Poll(0, &s)
		}
	})
	b.Run("PollInVain", func(b *testing.B) {
		for b.Loop() {
			to.Poll(0, &s)
		}
	})
}

// BenchmarkLocalBlocking is the same for Send and Recv of 8 bytes by spinning ranks, at both
// levels, with and without a third rank that has to be served as well. One operation is a round
// trip.
func BenchmarkLocalBlocking(b *testing.B) {
	for _, c := range []struct {
		name  string
		level string
		ranks int
	}{{"device/2", "device", 2}, {"device/3", "device", 3}, {"raw/2", "raw", 2}} {
		b.Run(c.name, func(b *testing.B) {
			all := make([]device.Channel, c.ranks)
			opened := make(chan error)
			for rank, job := range goroutineJobs(c.ranks) {
				go func() {
					opts, err := benchOptions("wait=spin")
					if err == nil && c.level == "raw" {
						all[rank], err = driver{}.OpenRaw(context.Background(), job, opts)
					} else if err == nil {
						all[rank], err = driver{}.Open(context.Background(), job, opts)
					}
					opened <- err
				}()
			}
			for range all {
				if err := <-opened; err != nil {
					b.Fatal(err)
				}
			}
			defer func() {
				var closing sync.WaitGroup
				for _, c := range all {
					closing.Go(func() { c.Close() })
				}
				closing.Wait()
			}()
			buf := make([]byte, 8)
			for b.Loop() {
				all[0].Send(buf, 1, 1, 1)
				all[1].Recv(buf, 0, 1, 1)
				all[1].Send(buf, 0, 1, 1)
				all[0].Recv(buf, 1, 1, 1)
			}
		})
	}
}
