package comm_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"gobench/comm"
	"gobench/device"
)

// Of random messages, taken by matched probes with and without wildcards and received in another
// order, each is the first that MPI allows: the first of its source that fits. Receives and probes
// between them do not find a message that was taken.
func TestMatchedProbes(t *testing.T) {
	everywhere(t, func(w *comm.Comm) error {
		const messages, tags = 30, 3
		n, me := w.Size(), w.Rank()
		sent := func(rank int) (list []int) { // the tags of a rank's messages to rank 0
			random := rand.New(rand.NewPCG(43, uint64(rank)))
			for range messages {
				list = append(list, random.IntN(tags))
			}
			return list
		}
		out := func(rank, i int) []byte { return bytes.Repeat([]byte{byte(rank), byte(i), 3, 4}, i*i) }
		var sends []comm.Request
		for i, tag := range sent(me) {
			r, err := comm.Isend(w, out(me, i), 0, tag)
			if err != nil {
				return err
			}
			sends = append(sends, r)
		}
		if me > 0 {
			// Rank 0 looks for more while the others are there.
			return errors.Join(comm.WaitAll(sends, nil), comm.Barrier(w))
		}
		left := make([][]int, n) // numbers of the messages of each rank that no probe has taken
		for rank := range left {
			for i := range messages {
				left[rank] = append(left[rank], i)
			}
		}
		type held struct {
			m        comm.Message
			rank, at int
		}
		var taken []held
		receive := func(k int) error {
			h := taken[k]
			taken = slices.Delete(taken, k, k+1)
			in, want := make([]byte, 4*messages*messages), out(h.rank, h.at)
			s, err := comm.Mrecv(&h.m, in)
			if err != nil {
				return err
			}
			if _, err := comm.Mrecv(&h.m, in); !errors.Is(err, device.ErrRequest) {
				return fmt.Errorf("a message is received twice: %v", err)
			}
			return must(s.Source == h.rank && s.Tag == sent(h.rank)[h.at] && bytes.Equal(in[:s.Bytes], want), "message %d of rank %d: %+v, %d bytes differ", h.at, h.rank, s, len(want))
		}
		random := rand.New(rand.NewPCG(43, uint64(n)))
		for remaining := n * messages; remaining > 0; remaining-- {
			src := random.IntN(n)
			for len(left[src]) == 0 {
				src = (src + 1) % n
			}
			tag := sent(src)[left[src][random.IntN(len(left[src]))]]
			if random.IntN(3) == 0 {
				tag = comm.AnyTag
			}
			if random.IntN(3) == 0 {
				src = comm.AnySource
			}
			m, s, err := comm.Mprobe(w, src, tag)
			if err != nil {
				return err
			}
			k := slices.IndexFunc(left[s.Source], func(i int) bool { return tag == comm.AnyTag || sent(s.Source)[i] == tag })
			if k < 0 || src != comm.AnySource && s.Source != src {
				return fmt.Errorf("for source %d, tag %d: %+v", src, tag, s)
			}
			i := left[s.Source][k]
			left[s.Source] = slices.Delete(left[s.Source], k, k+1)
			if err := must(s.Tag == sent(s.Source)[i] && s.Bytes == len(out(s.Source, i)), "message %d: %+v", i, s); err != nil {
				return err
			}
			taken = append(taken, held{m, s.Source, i})
			for len(taken) > 0 && random.IntN(2) == 0 {
				if err := receive(random.IntN(len(taken))); err != nil {
					return err
				}
			}
		}
		_, _, found, err := comm.Improbe(w, comm.AnySource, comm.AnyTag)
		if err != nil || found {
			return fmt.Errorf("a message too many: %t, %v", found, err)
		}
		for len(taken) > 0 {
			if err := receive(0); err != nil {
				return err
			}
		}
		return errors.Join(comm.WaitAll(sends, nil), comm.Barrier(w))
	})
}

// Several goroutines of a rank take messages from any source with any tag. None is lost, none is
// received twice, and none has the data of another.
func TestMatchedProbesOfSeveralGoroutines(t *testing.T) {
	for _, transport := range []string{"smem", "tcp", "memwire"} {
		ranks(t, transport, 3, func(w *comm.Comm) error {
			const each = 40 // messages of a rank to each goroutine of every other
			n, me := w.Size(), w.Rank()
			if err := w.Multiple(true); err != nil {
				return err
			}
			var group sync.WaitGroup
			var mu sync.Mutex
			arrived := make(map[string]int)
			errs := make([]error, goroutines+1)
			run := func(g int, f func() error) {
				group.Go(func() {
					if errs[g] = f(); errs[g] != nil { // ends the others, which may wait for this one
						w.Device().(device.Interrupter).Interrupt(errs[g])
					}
				})
			}
			for g := range goroutines {
				run(g, func() error {
					for range each * (n - 1) {
						m, s, err := comm.Mprobe(w, comm.AnySource, comm.AnyTag)
						if err != nil {
							return err
						}
						in := make([]byte, s.Bytes)
						if _, err := comm.Mrecv(&m, in); err != nil {
							return err
						}
						if want := content(s.Source, s.Tag%goroutines, s.Tag); !bytes.Equal(in, want) {
							return fmt.Errorf("message %d of rank %d: %d bytes, want %d", s.Tag, s.Source, len(in), len(want))
						}
						mu.Lock()
						arrived[fmt.Sprint(s.Source, " ", s.Tag)]++
						mu.Unlock()
					}
					return nil
				})
			}
			run(goroutines, func() error {
				for tag := range each * goroutines {
					for peer := range n {
						if peer == me {
							continue
						}
						if err := comm.Send(w, content(me, tag%goroutines, tag), peer, tag); err != nil {
							return err
						}
					}
				}
				return nil
			})
			group.Wait()
			if err := errors.Join(errs...); err != nil {
				return err
			}
			for message, times := range arrived {
				if times != 1 {
					return fmt.Errorf("message %s came %d times", message, times)
				}
			}
			return errors.Join(w.Multiple(false), comm.Barrier(w), must(len(arrived) == each*goroutines*(n-1), "%d messages", len(arrived)))
		})
	}
}

// A message is received once, also by its copy: the buffers of the next two are not the same.
func TestMatchedMessageAndItsCopy(t *testing.T) {
	ranks(t, "memwire", 2, func(w *comm.Comm) error {
		var m [3]comm.Message
		var in [1]int64
		for i := range m {
			if w.Rank() == 1 {
				if err := comm.Send(w, []int64{int64(i)}, 0, i); err != nil {
					return err
				}
				continue
			}
			var err error
			if m[i], _, err = comm.Mprobe(w, 1, i); err != nil {
				return err
			}
			if i > 0 {
				continue
			}
			again := m[0]
			_, err = comm.Mrecv(&m[0], in[:])
			_, second := comm.Mrecv(&again, in[:])
			if err != nil || !errors.Is(second, device.ErrRequest) {
				return fmt.Errorf("received: %v, and its copy: %v", err, second)
			}
		}
		for i := 1; i < len(m) && w.Rank() == 0; i++ {
			if _, err := comm.Mrecv(&m[i], in[:]); err != nil || in[0] != int64(i) {
				return fmt.Errorf("message %d is %d: %v", i, in[0], err)
			}
		}
		return comm.Barrier(w)
	})
}

// A deaf device finds messages, of which it receives none.
type deaf struct{ device.Device }

func (deaf) Irecv([]byte, int, int32, int32) (device.Request, error) {
	return 0, device.ErrClosed
}

// What a probe returns beside an error is no message, not even one of nobody.
func TestMatchedProbesThatFail(t *testing.T) {
	ranks(t, "memwire", 1, func(w *comm.Comm) error {
		c, err := comm.World(deaf{w.Device()}, comm.Options{Context: 100})
		if err != nil {
			return err
		}
		for _, step := range []struct {
			before   func() error
			src, tag int
		}{
			{func() error { return comm.Send(c, []byte{1}, 0, 3) }, 0, 3},
			{func() error { return nil }, 1, 3},
			{func() error { return nil }, 0, -7},
			{c.Close, comm.ProcNull, 0},
		} {
			if err := step.before(); err != nil {
				return err
			}
			m, _, failed := comm.Mprobe(c, step.src, step.tag)
			n, _, _, also := comm.Improbe(c, step.src, step.tag)
			_, first := comm.Mrecv(&m, []byte{0})
			_, second := comm.Mrecv(&n, []byte{0})
			if failed == nil || also == nil || !errors.Is(first, device.ErrRequest) || !errors.Is(second, device.ErrRequest) {
				return fmt.Errorf("rank %d, tag %d: %v and %v, received %v and %v", step.src, step.tag, failed, also, first, second)
			}
		}
		return nil
	})
}

// A message that does not fit is cut, one of nobody is empty, and a rank that has left is an error.
func TestMatchedProbesAtTheEdge(t *testing.T) {
	ranks(t, "smem", 2, func(w *comm.Comm) error {
		if w.Rank() == 1 {
			return comm.Send(w, []int16{1, 2, 3}, 0, 5)
		}
		m, s, err := comm.Mprobe(w, comm.ProcNull, 0)
		if err != nil || s.Source != comm.ProcNull {
			return fmt.Errorf("a probe of nobody: %+v, %v", s, err)
		}
		if s, err = comm.Mrecv(&m, []int16{}); err != nil || s.Source != comm.ProcNull {
			return fmt.Errorf("a message of nobody: %+v, %v", s, err)
		}
		if m, _, err = comm.Mprobe(w, 1, 5); err != nil {
			return err
		}
		in := []int16{7, 7, 7}
		var long *device.TruncationError
		if _, err := comm.Mrecv(&m, in[:2]); !errors.As(err, &long) || *long != (device.TruncationError{Source: 1, Tag: 5, Size: 6, Room: 4}) || !slices.Equal(in, []int16{1, 2, 7}) {
			return fmt.Errorf("a short buffer: %v, %v", err, in)
		}
		var wrong *comm.ArgumentError
		if _, _, err := comm.Mprobe(w, 2, 0); !errors.As(err, &wrong) {
			return fmt.Errorf("rank 2 of two: %v", err)
		}
		if _, _, found, err := comm.Improbe(w, 1, -7); found || !errors.As(err, &wrong) {
			return fmt.Errorf("a wrong tag: %t, %v", found, err)
		}
		var lost *device.PeerError
		_, _, err = comm.Mprobe(w, 1, 5)
		return must(errors.As(err, &lost), "a rank that has left: %v", err)
	})
}
