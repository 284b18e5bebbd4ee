package comm_test

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"testing"

	"gobench/comm"
	"gobench/comm/op"
	"gobench/device"
)

// goroutines is the number of goroutines of each rank that exchange messages.
const goroutines = 4

// Several goroutines of each rank send and receive at the same time, from named and from any
// sources, while another runs collective operations, over a fast, a slow and a hostile wire.
func TestSeveralGoroutines(t *testing.T) {
	rounds := 30
	if testing.Short() {
		rounds = 9 // the race detector
	}
	for _, over := range []struct {
		transport string
		ranks     int
	}{{"smem", 2}, {"smem", 3}, {"tcp", 2}, {"memwire", 2}, {"memwire", 3}} {
		t.Run(fmt.Sprintf("%s/%d", over.transport, over.ranks), func(t *testing.T) {
			ranks(t, over.transport, over.ranks, func(w *comm.Comm) error { return several(w, rounds) })
		})
	}
}

func several(w *comm.Comm, rounds int) error {
	blocking, err := w.Dup()
	if err != nil {
		return err
	}
	other, err := w.Dup()
	if err != nil {
		return err
	}
	if err := w.Multiple(true); err != nil {
		return err
	}
	var group sync.WaitGroup
	errs := make([]error, goroutines+2)
	run := func(i int, f func() error) {
		group.Go(func() {
			if errs[i] = f(); errs[i] != nil { // ends the others, which may wait for this one
				w.Device().(device.Interrupter).Interrupt(errs[i])
			}
		})
	}
	for g := range goroutines {
		run(g, func() error { return exchanges(w, g, rounds) })
	}
	run(goroutines, func() error { return sums(blocking, rounds, comm.Allreduce[int64]) })
	run(goroutines+1, func() error {
		return sums(other, rounds, func(c *comm.Comm, send, recv []int64, o *op.Op) error {
			r, err := comm.Iallreduce(c, send, recv, o)
			if err == nil {
				_, err = r.Wait()
			}
			return err
		})
	})
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if err := w.Multiple(false); err != nil {
		return err
	}
	if err := sums(w, 2, comm.Allreduce[int64]); err != nil {
		return err
	}
	return errors.Join(blocking.Close(), other.Close())
}

// sums adds numbers of all ranks.
func sums(c *comm.Comm, rounds int, allreduce func(*comm.Comm, []int64, []int64, *op.Op) error) error {
	for round := range rounds {
		n := int64(c.Size())
		got := []int64{int64(c.Rank() + round), 1}
		if err := allreduce(c, nil, got, op.Sum[int64]()); err != nil {
			return err
		}
		if want := n*(n-1)/2 + n*int64(round); got[0] != want || got[1] != n {
			return fmt.Errorf("round %d: the sums are %v, want %d and %d", round, got, want, n)
		}
	}
	return nil
}

// content is the message of a goroutine of a rank in a round: up to 20 KB, so that some are eager
// and some are not.
func content(rank, g, round int) []byte {
	return bytes.Repeat([]byte{byte(rank), byte(g), byte(round), byte(round * 7)}, []int{0, 2, 300, 5000}[(round+g)%4])
}

// exchanges sends messages of one goroutine to all other ranks and receives theirs. Those of a rank
// must arrive whole and in their order. Tags are of a goroutine and of every second round: receives
// from any source must not take the message of a rank that is a round ahead, in place of one for
// whose receive another rank waits.
func exchanges(w *comm.Comm, g, rounds int) error {
	n, me := w.Size(), w.Rank()
	arrived := make([]int, n) // messages by source
	tag := g
	check := func(s comm.Status, buf []byte) error {
		want := content(s.Source, g, arrived[s.Source])
		if s.Tag != tag || !bytes.Equal(buf[:s.Bytes], want) {
			return fmt.Errorf("rank %d, goroutine %d: message %d of rank %d is wrong: %d bytes with tag %d, want %d", me, g, arrived[s.Source], s.Source, s.Bytes, s.Tag, len(want))
		}
		arrived[s.Source]++
		return nil
	}
	in := make([][]byte, n)
	for i := range in {
		in[i] = make([]byte, 20000)
	}
	for round := range rounds {
		tag = g + goroutines*(round%2)
		var receives, sends []comm.Request
		for peer := range n {
			if peer == me {
				continue
			}
			src := peer
			if g%2 == 1 {
				src = comm.AnySource
			}
			if g != 2 { // which probes instead
				r, err := comm.Irecv(w, in[len(receives)], src, tag)
				if err != nil {
					return err
				}
				receives = append(receives, r)
			}
			start := comm.Isend[byte]
			switch round % 3 {
			case 0:
				start = comm.Issend[byte]
			case 1:
				start = isendEverySecond
			}
			r, err := start(w, content(me, g, round), peer, tag)
			if err != nil {
				return err
			}
			sends = append(sends, r)
		}
		for i := range receives {
			s, err := receives[i].Wait()
			if err != nil {
				return err
			}
			if err := check(s, in[i]); err != nil {
				return err
			}
		}
		for peer := 0; g == 2 && peer < n; peer++ {
			if peer == me {
				continue
			}
			s, err := comm.Probe(w, peer, tag)
			if err != nil {
				return err
			}
			if s, err = comm.Recv(w, in[0][:s.Bytes], peer, tag); err != nil {
				return err
			}
			if err := check(s, in[0]); err != nil {
				return err
			}
		}
		if err := comm.WaitAll(sends, nil); err != nil {
			return err
		}
	}
	return nil
}

// isendEverySecond sends data through a buffer of the communicator.
func isendEverySecond(w *comm.Comm, data []byte, dst, tag int) (comm.Request, error) {
	double := make([]byte, 2*len(data))
	for i, b := range data {
		double[2*i] = b
	}
	return comm.IsendVector(w, double, comm.Vector{Count: len(data), Block: 1, Stride: 2}, dst, tag)
}

// All goroutines that wait for a rank learn that it has left.
func TestSeveralGoroutinesLoseARank(t *testing.T) {
	ranks(t, "smem", 2, func(w *comm.Comm) error {
		if w.Rank() == 1 {
			return nil
		}
		if err := w.Multiple(true); err != nil {
			return err
		}
		var group sync.WaitGroup
		for g := range goroutines {
			group.Go(func() {
				var lost *device.PeerError
				if _, err := comm.Recv(w, make([]byte, 1), 1, g); !errors.As(err, &lost) || lost.Rank != 1 {
					t.Errorf("goroutine %d: %v", g, err)
				}
			})
		}
		group.Wait()
		return w.Multiple(false)
	})
}
