package comm_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"gobench/comm"
)

// Every part arrives in its place, whatever the order in which parts are ready, and can be used
// before the others have been sent.
func TestPartitionedMessages(t *testing.T) {
	everywhere(t, func(w *comm.Comm) error {
		n, me := w.Size(), w.Rank()
		next, before := (me+1)%n, (me+n-1)%n
		for _, c := range []struct{ parts, elements int }{{1, 10}, {4, 10}, {4, 3}, {7, 100_000}} {
			out, in := make([]int64, c.elements), make([]int64, c.elements)
			send, err := comm.PsendInit(w, out, c.parts, next, 5)
			if err != nil {
				return err
			}
			recv, err := comm.PrecvInit(w, in, c.parts, before, 5)
			if err != nil {
				return err
			}
			for round := range 3 {
				copy(out, vector(me+round, c.elements))
				clear(in)
				if err := errors.Join(recv.Start(), send.Start()); err != nil {
					return err
				}
				for _, i := range rand.New(rand.NewPCG(uint64(round), 1)).Perm(c.parts) {
					if err := send.Ready(i); err != nil {
						return err
					}
					for done := false; !done; {
						if done, err = recv.Arrived(i); err != nil {
							return err
						}
					}
					from, to := i*c.elements/c.parts, (i+1)*c.elements/c.parts
					if err := same("a part", in[from:to], vector(before+round, c.elements)[from:to]); err != nil {
						return err
					}
				}
				if err := errors.Join(send.Wait(), recv.Wait()); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// Calls that do not fit are errors.
func TestPartitionedMistakes(t *testing.T) {
	ranks(t, "memwire", 1, func(w *comm.Comm) error {
		var wrong *comm.ArgumentError
		_, err := comm.PsendInit(w, []int64{1}, 0, 0, 0)
		_, err2 := comm.PrecvInit(w, []int64{1}, 2, 0, comm.MaxTag)
		send, err3 := comm.PsendInit(w, []int64{1, 2}, 2, 0, 0)
		recv, err4 := comm.PrecvInit(w, []int64{0, 0}, 2, 0, 0)
		if err := errors.Join(err3, err4); err != nil {
			return err
		}
		_, early := send.Arrived(0)
		_, anyone := comm.PrecvInit(w, []int64{0, 0}, 2, comm.AnySource, 0)
		_, anything := comm.PrecvInit(w, []int64{0, 0}, 2, 0, comm.AnyTag)
		for i, err := range []error{err, err2, send.Wait(), send.Ready(0), send.Ready(2), recv.Ready(0), early, anyone, anything} {
			if err := must(errors.As(err, &wrong), "mistake %d: %v", i, err); err != nil {
				return err
			}
		}
		if err := errors.Join(recv.Start(), send.Start(), send.Ready(0)); err != nil {
			return err
		}
		if err := must(errors.Is(send.Ready(0), comm.ErrActive), "a part that is ready twice"); err != nil {
			return err
		}
		if err := must(errors.Is(send.Start(), comm.ErrActive), "a send that is started twice"); err != nil {
			return err
		}
		return errors.Join(send.Ready(1), send.Wait(), recv.Wait())
	})
}

// A partitioned message of several threads, each with its own part.
func TestPartsOfSeveralThreads(t *testing.T) {
	const parts = 4
	ranks(t, "memwire", 2, func(w *comm.Comm) error {
		if err := w.Multiple(true); err != nil {
			return err
		}
		data := make([]int64, parts*100)
		if w.Rank() == 1 {
			recv, err := comm.PrecvInit(w, data, parts, 0, 0)
			if err != nil {
				return err
			}
			if err := errors.Join(recv.Start(), recv.Wait()); err != nil {
				return err
			}
			return must(slices.Equal(data, vector(0, len(data))), "%v", data)
		}
		send, err := comm.PsendInit(w, data, parts, 1, 0)
		if err := errors.Join(err, send.Start()); err != nil {
			return err
		}
		errs := make(chan error, parts)
		for i := range parts {
			go func() {
				copy(data[i*100:(i+1)*100], vector(0, len(data))[i*100:])
				errs <- send.Ready(i)
			}()
		}
		for range parts {
			if err := <-errs; err != nil {
				return err
			}
		}
		return send.Wait()
	})
}
