package comm_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"gobench/comm"
)

// Random buffered sends that are received late: nothing is overwritten while it
// is under way. The buffer has room for all messages of a round and the one that
// does not fit at its end.
func TestBufferedSendsRandomly(t *testing.T) {
	everywhere(t, func(w *comm.Comm) error {
		const room, longest = 80 << 10, 16 << 10
		if err := comm.AttachBuffer(w, make([]byte, room)); err != nil {
			return err
		}
		if err := comm.AttachBuffer(w, make([]byte, room)); !errors.Is(err, comm.ErrAttached) {
			return fmt.Errorf("a second buffer: %v", err)
		}
		n, me := w.Size(), w.Rank()
		r := rand.New(rand.NewPCG(21, 22))
		data, in := make([]byte, longest), make([]byte, longest)
		for round := range 100 {
			var lengths []int
			for range 1 + r.IntN(4) {
				lengths = append(lengths, []int{0, 1, 100, 3000, r.IntN(longest)}[r.IntN(5)])
			}
			for i, k := range lengths {
				for j := range k {
					data[j] = byte(me + round + i + j)
				}
				err := comm.Bsend(w, data[:k], (me+1)%n, i)
				for full := (*comm.BufferError)(nil); errors.As(err, &full); {
					// Messages of the round before, which the peer is about to receive.
					if err = comm.Bsend(w, data[:k], (me+1)%n, i); full.Need != k || full.Room != room {
						return fmt.Errorf("%+v", full)
					}
				}
				if err != nil {
					return err
				}
				clear(data[:k])
			}
			left := (me + n - 1) % n
			for i, k := range lengths {
				s, err := comm.Recv(w, in, left, i)
				if err != nil {
					return err
				}
				if s.Bytes != k {
					return fmt.Errorf("round %d, message %d: %d bytes, want %d", round, i, s.Bytes, k)
				}
				for j, b := range in[:k] {
					if b != byte(left+round+i+j) {
						return fmt.Errorf("round %d, message %d, byte %d is %d", round, i, j, b)
					}
				}
			}
		}
		buf, err := comm.DetachBuffer(w)
		if err != nil || len(buf) != room {
			return fmt.Errorf("detached %d bytes: %v", len(buf), err)
		}
		buf, err = comm.DetachBuffer(w)
		return errors.Join(err, must(buf == nil, "detached %d bytes of no buffer", len(buf)))
	})
}

// A message that fills the buffer exactly goes, and the next one waits for its room.
func TestBufferIsUsedToTheLastByte(t *testing.T) {
	const unit = 10_000 // more than a device keeps for itself
	ranks(t, "memwire", 1, func(w *comm.Comm) error {
		if err := comm.AttachBuffer(w, make([]byte, 10*unit)); err != nil {
			return err
		}
		receive := func(want int) error {
			s, err := comm.Recv(w, make([]byte, 10*unit), 0, 0)
			return errors.Join(err, must(s.Bytes == want*unit, "%d bytes, want %d units", s.Bytes, want))
		}
		send := func(k int) error { return comm.Bsend(w, make([]byte, k*unit), 0, 0) }
		refused := func(k int) error {
			var full *comm.BufferError
			if err := send(k); !errors.As(err, &full) {
				return fmt.Errorf("%d units more: %v", k, err)
			}
			return nil
		}
		for i, err := range []error{
			send(5), send(5), send(0), refused(1), receive(5), // the second half is under way
			refused(6), send(5), refused(1), send(0), receive(5), receive(0), // around the end
			send(4), refused(2), send(1), refused(1), receive(5), receive(0), receive(4), receive(1),
			send(10), refused(1), receive(10), refused(11),
		} {
			if err != nil {
				return fmt.Errorf("step %d: %w", i, err)
			}
		}
		return nil
	})
}
