package comm_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"gobench/comm"
	"gobench/comm/coll"
	"gobench/comm/op"
	"gobench/comm/schedule"
	"gobench/device"
)

// Requests of all sorts in one list, completed one at a time.
func TestWaitAnyOfAllSorts(t *testing.T) {
	everywhere(t, func(w *comm.Comm) error {
		n, me := w.Size(), w.Rank()
		right, left := (me+1)%n, (me+n-1)%n
		column := comm.Vector{Count: 3, Block: 1, Stride: 2}
		out, in, sum := make([]int64, 5), make([]int64, 5), []int64{1}
		for i := range out {
			out[i] = int64(10*me + i)
		}
		plain := make([]int64, 1)
		kept, err := comm.RecvInit(w, plain, left, 1)
		if err != nil {
			return err
		}
		if err := kept.Start(); err != nil {
			return err
		}
		all := make([]comm.Request, 0, 8)
		for _, start := range []func() (comm.Request, error){
			func() (comm.Request, error) { return kept, nil },
			func() (comm.Request, error) { return comm.IrecvVector(w, in, column, left, 0) },
			func() (comm.Request, error) { return comm.Iallreduce(w, nil, sum, op.Sum[int64]()) },
			func() (comm.Request, error) { return comm.Irecv(w, in, comm.ProcNull, 0) },
			func() (comm.Request, error) { return comm.Ibarrier(w) },
			func() (comm.Request, error) { return comm.IsendVector(w, out, column, right, 0) },
			func() (comm.Request, error) { return comm.Isend(w, out[4:], right, 1) },
		} {
			r, err := start()
			if err != nil {
				return err
			}
			if !r.Active() {
				return fmt.Errorf("request %d is not active", len(all))
			}
			all = append(all, r)
		}
		var seen []int
		for {
			i, _, err := comm.WaitAny(all)
			if err != nil {
				return err
			}
			if i == comm.Undefined {
				break
			}
			seen = append(seen, i)
		}
		slices.Sort(seen)
		want := []int64{int64(10 * left), 0, int64(10*left + 2), 0, int64(10*left + 4)}
		if !slices.Equal(seen, []int{0, 1, 2, 3, 4, 5, 6}) || !slices.Equal(in, want) || sum[0] != int64(n) || plain[0] != want[4] {
			return fmt.Errorf("completed %v, received %v and %v, sum %v", seen, in, plain, sum)
		}
		return nil
	})
}

// A rank that waits in any way does its part of what it has started: others
// complete that before they send what is waited for.
func TestProgressInEveryWait(t *testing.T) {
	everywhere(t, func(w *comm.Comm) error {
		n, me := w.Size(), w.Rank()
		in := make([]int32, 1)
		waits := []func() error{
			func() error { return second(comm.Recv(w, in, n-1, 0)) },
			func() error {
				if _, err := comm.Probe(w, n-1, 0); err != nil {
					return err
				}
				return second(comm.Recv(w, in, n-1, 0))
			},
			func() error {
				for {
					if _, found, err := comm.Iprobe(w, n-1, 0); err != nil {
						return err
					} else if found {
						return second(comm.Recv(w, in, n-1, 0))
					}
				}
			},
			func() error {
				r, err := comm.Irecv(w, in, n-1, 0)
				for done := false; err == nil && !done; {
					_, done, err = r.Test()
				}
				return err
			},
			func() error { return waited(comm.IrecvVector(w, in, comm.Vector{Count: 1, Block: 1}, n-1, 0)) },
		}
		for i, wait := range waits {
			sum := make([]int32, 1000)
			r, err := comm.Iallreduce(w, nil, sum, op.Sum[int32]())
			if err != nil {
				return err
			}
			if me == n-1 { // it sends only when the reduction is done
				for done := false; !done; {
					if _, done, err = r.Test(); err != nil {
						return err
					}
				}
				for rank := range n - 1 {
					if err := comm.Ssend(w, in, rank, 0); err != nil {
						return err
					}
				}
				continue
			}
			if err := wait(); err != nil {
				return fmt.Errorf("wait %d: %w", i, err)
			}
			if _, err := r.Wait(); err != nil {
				return err
			}
		}
		return nil
	})
}

// Close waits for what was started with the communicator.
func TestCloseEndsCollectives(t *testing.T) {
	everywhere(t, func(w *comm.Comm) error {
		c, err := w.Dup()
		if err != nil {
			return err
		}
		sum := []int64{int64(w.Rank())}
		r, err := comm.Iallreduce(c, nil, sum, op.Sum[int64]())
		if err != nil {
			return err
		}
		if err := c.Close(); err != nil {
			return err
		}
		if _, err := r.Wait(); !errors.Is(err, device.ErrRequest) {
			return fmt.Errorf("the request of a closed communicator: %v", err)
		}
		return must(sum[0] == int64(w.Size()*(w.Size()-1)/2), "sum %d", sum[0])
	})
}

func TestAlgorithms(t *testing.T) {
	ranks(t, "memwire", 4, func(w *comm.Comm) error { // some want a power of two
		if got := w.Algorithm(schedule.Bcast); got != "" {
			return fmt.Errorf("%q did no bcast", got)
		}
		for _, a := range coll.Of(schedule.Bcast) {
			if a.Build == nil || a.Hosts {
				continue
			}
			w.Force(schedule.Bcast, &coll.Choice{Algorithm: &a, Number: a.Default})
			data := []uint8{uint8(w.Rank())}
			if err := comm.Bcast(w, data, 2); err != nil {
				return err
			}
			got := (coll.Choice{Algorithm: &a, Number: a.Default}).String()
			if w.Algorithm(schedule.Bcast) != got || data[0] != 2 {
				return fmt.Errorf("forced %s, %s ran and brought %d", got, w.Algorithm(schedule.Bcast), data[0])
			}
		}
		_, shares := w.Device().(device.Sharer)
		return must(w.SharesMemory() == shares, "shares memory: %v", !shares)
	})
}

// Context ids run out long after anyone stops making communicators.
func TestContextsRunOut(t *testing.T) {
	var dev device.Device = null{}
	for _, first := range []int32{-1, math.MaxInt32 - 1} {
		var arg *comm.ArgumentError
		if _, err := comm.World(dev, comm.Options{Context: first}); !errors.As(err, &arg) {
			t.Errorf("first context %d: %v", first, err)
		}
	}
	ranks(t, "memwire", 1, func(w *comm.Comm) error {
		late, err := comm.World(w.Device(), comm.Options{Context: math.MaxInt32 - 4})
		if err != nil {
			return err
		}
		_, first := late.Dup()
		_, dup := late.Dup()
		_, split := late.Split(0, 0)
		_, create := late.Create(late.Group())
		for _, err := range []error{dup, split, create} {
			if !errors.Is(err, comm.ErrContexts) {
				return fmt.Errorf("after the last context: %v, then %v", first, err)
			}
		}
		return nil
	})
}

// A Sendrecv that cannot send leaves no receive behind, nor does a start of
// several requests hide which could not be started.
func TestWhatFailsIsEnded(t *testing.T) {
	mortal(t, 3, func(w *comm.Comm) error {
		if w.Rank() == 2 {
			return die(w)
		}
		peer, in := 1-w.Rank(), []int8{9}
		if err := lost("send", sendUntilLost(w, 2), 2); err != nil {
			return err
		}
		_, err := comm.Sendrecv(w, in, 2, 0, in, peer, 0)
		if err := lost("sendrecv", err, 2); err != nil {
			return err
		}
		column := comm.Vector{Count: 2, Block: 1, Stride: 2}
		if err := lost("send of a vector", comm.SendVector(w, make([]int8, 3), column, 2, 0), 2); err != nil {
			return err
		}
		far, err := comm.SendInit(w, in, 2, 0)
		if err != nil {
			return err
		}
		near, err := comm.RecvInit(w, in, peer, 5)
		if err != nil {
			return err
		}
		all := []comm.Request{near, far}
		err = comm.StartAll(all)
		var which *comm.RequestError
		if !errors.As(err, &which) || which.Index != 1 || all[1].Active() || !all[0].Active() {
			return fmt.Errorf("startall: %v", err)
		}
		// Nobody takes this but the receive that was started.
		if err := comm.Send(w, []int8{int8(w.Rank())}, peer, 5); err != nil {
			return err
		}
		_, err = all[0].Wait()
		return errors.Join(err, must(in[0] == int8(peer), "received %d", in[0]))
	})
}

func TestCount(t *testing.T) {
	s := comm.Status{Bytes: 24}
	if a, b, c := comm.Count[float64](s), comm.Count[complex128](s), comm.Count[uint8](s); a != 3 || b != comm.Undefined || c != 24 {
		t.Errorf("%d, %d, %d elements", a, b, c)
	}
	for _, p := range []struct {
		err  error
		want string
	}{
		{&comm.BufferError{Need: 8, Room: 4}, "bsend: a message of 8 bytes finds no room in the attached buffer of 4 bytes, which holds messages under way"},
		{&comm.RequestError{Index: 2, Err: device.ErrClosed}, "request 2: device is closed"},
	} {
		if p.err.Error() != p.want {
			t.Errorf("%q, want %q", p.err, p.want)
		}
	}
	if got := fmt.Sprint(comm.Identical, comm.Similar, comm.Unequal); got != "identical similar unequal" {
		t.Error(got)
	}
}
