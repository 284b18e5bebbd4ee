package comm_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gobench/comm"
	"gobench/comm/op"
	"gobench/device"
)

// Where all requests are complete, WaitAny serves each of them once before any a
// second time. Messages to oneself are complete when they are received.
func TestWaitAnyIsFair(t *testing.T) {
	ranks(t, "memwire", 1, func(w *comm.Comm) error {
		const rounds, n = 5, 6
		requests, in, sends := make([]comm.Request, n), make([]int64, n), []comm.Request{}
		receive := func(tag int) (err error) {
			requests[tag], err = comm.Irecv(w, in[tag:tag+1], 0, tag)
			return err
		}
		for tag := range n {
			for i := range rounds {
				r, err := comm.Isend(w, []int64{int64(10*tag + i)}, 0, tag)
				if err != nil {
					return err
				}
				sends = append(sends, r)
			}
			if err := receive(tag); err != nil {
				return err
			}
		}
		for i := range rounds {
			var served []int
			for range n {
				tag, s, err := comm.WaitAny(requests)
				if err != nil {
					return err
				}
				if in[tag] != int64(10*tag+i) || s.Tag != tag || requests[tag].Active() {
					return fmt.Errorf("round %d: %d with tag %d, %+v", i, in[tag], tag, s)
				}
				served = append(served, tag)
				if i < rounds-1 { // it is ready again immediately
					if err := receive(tag); err != nil {
						return err
					}
				}
			}
			if slices.Sort(served); len(slices.Compact(served)) != n {
				return fmt.Errorf("round %d served %v", i, served)
			}
		}
		i, s, err := comm.WaitAny(requests)
		return errors.Join(err, comm.WaitAll(sends, nil), must(i == comm.Undefined && s.Source == comm.AnySource, "of no request came %d %+v", i, s))
	})
}

func TestTestAllAndAny(t *testing.T) {
	everywhere(t, func(w *comm.Comm) error {
		n, me := w.Size(), w.Rank()
		in := make([]int64, 1)
		receive, err := comm.Irecv(w, in, (me+n-1)%n, 0)
		if err != nil {
			return err
		}
		if _, done, err := receive.Test(); done || err != nil {
			return fmt.Errorf("nothing was sent: %v %v", done, err)
		}
		if i, _, done, err := comm.TestAny([]comm.Request{receive}); done || err != nil || i != comm.Undefined {
			return fmt.Errorf("nothing was sent: %v %v %v", i, done, err)
		}
		barrier, err := comm.Ibarrier(w)
		if err != nil {
			return err
		}
		if _, err := barrier.Wait(); err != nil { // all have looked
			return err
		}
		send, err := comm.Isend(w, []int64{int64(me)}, (me+1)%n, 0)
		if err != nil {
			return err
		}
		all, statuses := []comm.Request{send, {}, receive}, make([]comm.Status, 3)
		for done := false; !done; {
			if done, err = comm.TestAll(all, statuses); err != nil {
				return err
			}
		}
		if all[0].Active() || all[2].Active() || statuses[2].Source != (me+n-1)%n || in[0] != int64(statuses[2].Source) {
			return fmt.Errorf("%+v, %v", statuses, in)
		}
		i, _, done, err := comm.TestAny(all)
		return errors.Join(err, must(done && i == comm.Undefined, "of no request came %d %v", i, done))
	})
}

// Random receives of rank 0 among null and persistent requests: WaitSome and TestSome complete each
// once, with its status and data, and return none when no request is active.
func TestWaitSome(t *testing.T) {
	everywhere(t, func(w *comm.Comm) error {
		const each, rounds = 4, 6
		n, me := w.Size(), w.Rank()
		random := rand.New(rand.NewPCG(43, uint64(n))) // the same on all ranks
		waiting := rand.New(rand.NewPCG(44, uint64(n)))
		in := make([][]int64, n*each)
		requests, statuses, done := make([]comm.Request, n*each), make([]comm.Status, n*each), make([]int, 0, n*each)
		for i := range in {
			in[i] = make([]int64, 600)
		}
		if me == 0 {
			var err error
			if requests[1], err = comm.RecvInit(w, in[1], 0, 1); err != nil {
				return err
			}
		}
		for round := range rounds {
			var sends []comm.Request
			open := map[int]bool{}
			for _, i := range random.Perm(n * each)[:1+random.IntN(n*each)] { // message i is of rank i / each
				open[i] = true
				if me == i/each {
					out := make([]int64, 1+i*500/(n*each))
					out[0] = int64(1000*round + i)
					r, err := comm.Isend(w, out, 0, i)
					if err != nil {
						return err
					}
					sends = append(sends, r)
				}
			}
			for i := 0; me == 0 && i < len(in); i++ {
				var err error
				switch {
				case !open[i]:
				case i == 1:
					err = requests[i].Start()
				default:
					requests[i], err = comm.Irecv(w, in[i], i/each, i)
				}
				if err != nil {
					return err
				}
			}
			for me == 0 && len(open) > 0 {
				some, waits := comm.TestSome, waiting.IntN(2) == 0
				if waits {
					some = comm.WaitSome
				}
				var err error
				if done, err = some(requests, done, statuses); err != nil {
					return err
				}
				for _, i := range done {
					want := comm.Status{Source: i / each, Tag: i, Bytes: 8 * (1 + i*500/(n*each))}
					if !open[i] || requests[i].Active() || statuses[i] != want || in[i][0] != int64(1000*round+i) {
						return fmt.Errorf("round %d: request %d, open %t: %+v, data %d", round, i, open[i], statuses[i], in[i][0])
					}
					delete(open, i)
				}
				if waits && len(done) == 0 {
					return fmt.Errorf("round %d: WaitSome returns none of %d", round, len(open))
				}
			}
			if err := comm.WaitAll(sends, nil); err != nil {
				return err
			}
		}
		some, err := comm.WaitSome(requests, done, nil)
		return errors.Join(err, must(len(some) == 0, "of no request came %v", some))
	})
}

// WaitSome names a request that fails, and keeps what was complete.
func TestWaitSomeNamesTheRequest(t *testing.T) {
	ranks(t, "memwire", 1, func(w *comm.Comm) error {
		in, requests := make([]int32, 3), make([]comm.Request, 3)
		for i := range requests {
			if err := comm.AttachBuffer(w, make([]byte, 8)); err != nil {
				return err
			}
			if err := comm.Bsend(w, make([]int32, 1+i%2), 0, i); err != nil {
				return err
			}
			var err error
			if requests[i], err = comm.Irecv(w, in[i:i+1], 0, i); err != nil {
				return err
			}
			if _, err := comm.DetachBuffer(w); err != nil {
				return err
			}
		}
		complete := map[int]bool{}
		var which *comm.RequestError
		for range 3 { // WaitSome may begin at any of the three
			done, err := comm.WaitSome(requests, nil, nil)
			for _, i := range done {
				complete[i] = true
			}
			if err != nil && (!errors.As(err, &which) || which.Index != 1 || !errors.Is(err, device.ErrTruncated)) {
				return err
			}
		}
		_, err := comm.TestSome(requests, nil, make([]comm.Status, 2))
		return must(which != nil && len(complete) == 2 && complete[0] && complete[2] && err != nil && err.Error() == "testsome: the number of statuses is 2, want none or one for each request",
			"completed %v, failed %v; %v", complete, which, err)
	})
}

func TestPersistent(t *testing.T) {
	everywhere(t, func(w *comm.Comm) error {
		n, me := w.Size(), w.Rank()
		out, in := make([]uint16, 5), make([]uint16, 5)
		receive, err := comm.RecvInit(w, in, (me+n-1)%n, 9)
		if err != nil {
			return err
		}
		send, err := comm.SendInit(w, out, (me+1)%n, 9)
		if err != nil {
			return err
		}
		if s, err := receive.Wait(); err != nil || s.Source != comm.AnySource || receive.Active() {
			return fmt.Errorf("an inactive request: %+v %v", s, err)
		}
		both := []comm.Request{receive, send}
		statuses := make([]comm.Status, 2)
		for i := range 20 {
			for k := range out {
				out[k] = uint16(100*me + 7*i + k)
			}
			if err := comm.StartAll(both); err != nil {
				return err
			}
			if err := both[0].Start(); !errors.Is(err, comm.ErrActive) || !both[0].Active() {
				return fmt.Errorf("a second start: %v", err)
			}
			for done := false; !done && i%2 == 1; {
				if _, done, err = both[0].Test(); err != nil {
					return err
				}
			}
			if err := comm.WaitAll(both, statuses); err != nil {
				return err
			}
			if in[4] != uint16(100*((me+n-1)%n)+7*i+4) || both[0].Active() || both[1].Active() {
				return fmt.Errorf("round %d: %v", i, in)
			}
		}
		plain, err := comm.Ibarrier(w)
		if err != nil {
			return err
		}
		_, late := plain.Wait()
		return errors.Join(late, must(errors.Is(plain.Start(), comm.ErrNotPersistent), "another request can be started"))
	})
}

// A copy of a request that has been completed is recognised. A send may be complete when it starts,
// which leaves nothing to recognise.
func TestStaleCopies(t *testing.T) {
	ranks(t, "memwire", 2, func(w *comm.Comm) error {
		peer := 1 - w.Rank()
		var in [2]int8
		if err := comm.Send(w, []int8{1}, peer, 0); err != nil {
			return err
		}
		for _, start := range []func() (comm.Request, error){
			func() (comm.Request, error) { return comm.Irecv(w, in[1:], peer, 0) },
			func() (comm.Request, error) {
				return comm.IsendVector(w, []int8{1, 2, 3}, comm.Vector{Count: 2, Block: 1, Stride: 2}, peer, 0)
			},
			func() (comm.Request, error) { return comm.Ibarrier(w) },
		} {
			r, err := start()
			if err != nil {
				return err
			}
			stale := r
			if _, err := r.Wait(); err != nil {
				return err
			}
			if _, err := stale.Wait(); !errors.Is(err, device.ErrRequest) {
				return fmt.Errorf("a stale copy: %v", err)
			}
			if s, err := r.Wait(); err != nil || s.Source != comm.AnySource {
				return fmt.Errorf("the null request: %+v %v", s, err)
			}
		}
		if err := must(in == [2]int8{0, 1}, "received %v", in); err != nil {
			return err
		}
		_, err := comm.Recv(w, in[:], peer, 0)
		return errors.Join(err, must(in == [2]int8{1, 3}, "received %v", in))
	})
}

func TestCancel(t *testing.T) {
	everywhere(t, func(w *comm.Comm) error {
		n, me := w.Size(), w.Rank()
		in := []int32{7, 7, 7}
		plain, err := comm.Irecv(w, in[:1], (me+1)%n, 0)
		if err != nil {
			return err
		}
		vector, err := comm.IrecvVector(w, in, comm.Vector{Count: 2, Block: 1, Stride: 2}, (me+1)%n, 0)
		if err != nil {
			return err
		}
		kept, err := comm.RecvInit(w, in, comm.AnySource, 0)
		if err != nil {
			return err
		}
		if err := kept.Start(); err != nil {
			return err
		}
		all, statuses := []comm.Request{plain, vector, kept, {}}, make([]comm.Status, 4)
		for i := range all {
			if err := all[i].Cancel(); err != nil {
				return err
			}
		}
		if err := comm.WaitAll(all, statuses); err != nil {
			return err
		}
		for i, s := range statuses[:3] {
			if !s.Cancelled {
				return fmt.Errorf("request %d: %+v", i, s)
			}
		}
		sum := []int64{1}
		r, err := comm.Iallreduce(w, nil, sum, op.Sum[int64]())
		if err != nil {
			return err
		}
		if err := r.Cancel(); !errors.Is(err, comm.ErrNoCancel) {
			return fmt.Errorf("cancelled a collective: %v", err)
		}
		_, err = r.Wait()
		return errors.Join(err, must(sum[0] == int64(n) && slices.Equal(in, []int32{7, 7, 7}), "%v, received %v", sum, in))
	})
}

// WaitAll ends all requests and names the first that failed.
func TestWaitAllNamesTheRequest(t *testing.T) {
	ranks(t, "memwire", 1, func(w *comm.Comm) error {
		in := make([]int32, 3)
		var all []comm.Request
		for i := range 3 {
			r, err := comm.Irecv(w, in[i:i+1], 0, i)
			if err != nil {
				return err
			}
			s, err := comm.Isend(w, make([]int32, 1+i%2), 0, i)
			if err != nil {
				return err
			}
			all = append(all, r, s)
		}
		err := comm.WaitAll(all, nil)
		var which *comm.RequestError
		if !errors.As(err, &which) || which.Index != 2 || !errors.Is(err, device.ErrTruncated) {
			return fmt.Errorf("waitall: %v", err)
		}
		for i := range all {
			if all[i].Active() {
				return fmt.Errorf("request %d is not ended", i)
			}
		}
		err = comm.WaitAll(all, make([]comm.Status, 5))
		return must(err != nil && err.Error() == "waitall: the number of statuses is 5, want none or one for each request", "%v", err)
	})
}
