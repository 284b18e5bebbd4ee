package comm_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gobench/comm"
	"gobench/comm/op"
)

// sides divides the ranks of w at random, in random order, and returns the groups of both sides.
func sides(w *comm.Comm, seed uint64) (groups [2][]int) {
	random := rand.New(rand.NewPCG(seed, uint64(w.Size())))
	order := random.Perm(w.Size())
	n := 1 + random.IntN(w.Size()-1)
	return [2][]int{order[:n], order[n:]}
}

// connect makes the inter-communicator of a side, whose leader is its last rank.
func connect(w *comm.Comm, groups [2][]int, side int) (*comm.Comm, error) {
	mine, theirs := groups[side], groups[1-side]
	local, err := w.Split(side, slices.Index(mine, w.Rank()))
	if err != nil {
		return nil, err
	}
	x, err := comm.NewInter(local, len(mine)-1, w, theirs[len(theirs)-1], 7)
	return x, errors.Join(err, local.Close())
}

// Between random groups of all sizes, messages and collective operations bring what the other group
// has sent, and a merged communicator has the asked order.
func TestInterCommunicators(t *testing.T) {
	everywhere(t, func(w *comm.Comm) error {
		if w.Size() == 1 {
			var wrong *comm.ArgumentError
			_, err := w.Divide()
			return must(errors.As(err, &wrong), "a group of no ranks: %v", err)
		}
		open := w.Open()
		for seed := range uint64(3) {
			groups, side := sides(w, seed), 0
			if !slices.Contains(groups[0], w.Rank()) {
				side = 1
			}
			x, err := connect(w, groups, side)
			if err != nil {
				return err
			}
			mine, theirs := groups[side], groups[1-side]
			if err := must(x.Rank() == slices.Index(mine, w.Rank()) && x.Size() == len(mine) && slices.Equal(x.Group().Ranks(), mine) && slices.Equal(x.Remote().Ranks(), theirs),
				"rank %d of %d, groups %v, %v", x.Rank(), x.Size(), x.Group().Ranks(), x.Remote().Ranks()); err != nil {
				return err
			}
			for _, step := range []func(x *comm.Comm, mine, theirs []int, side int) error{interMessages, interData, interReduce} {
				if err := step(x, mine, theirs, side); err != nil {
					return fmt.Errorf("groups %v: %w", groups, err)
				}
			}
			whole, err := x.Merge(side == int(seed%2))
			if err != nil {
				return err
			}
			want := slices.Concat(groups[1-seed%2], groups[seed%2])
			if err := must(slices.Equal(whole.Group().Ranks(), want), "merged %v, want %v", whole.Group().Ranks(), want); err != nil {
				return err
			}
			if err := errors.Join(comm.Barrier(whole), whole.Close(), x.Close()); err != nil {
				return err
			}
		}
		return must(w.Open() == open, "%d communicators are open, %d were", w.Open(), open)
	})
}

// interMessages sends to all ranks of the other group in all modes, and leaves messages to be
// received while collective operations run.
func interMessages(x *comm.Comm, mine, theirs []int, side int) error {
	var sends []comm.Request
	for peer := range theirs {
		for tag, start := range []func(*comm.Comm, []int32, int, int) (comm.Request, error){comm.Isend[int32], comm.Issend[int32], comm.Irsend[int32]} {
			r, err := start(x, []int32{int32(x.Rank()), int32(peer), int32(side)}, peer, tag)
			if err != nil {
				return err
			}
			sends = append(sends, r)
		}
	}
	if err := comm.Barrier(x); err != nil {
		return err
	}
	if err := interData(x, mine, theirs, side); err != nil {
		return err
	}
	var order []int
	for range 3 * len(theirs) {
		m, s, err := comm.Mprobe(x, comm.AnySource, comm.AnyTag)
		if err != nil {
			return err
		}
		in := make([]int32, 3)
		if _, err := comm.Mrecv(&m, in); err != nil {
			return err
		}
		if !slices.Equal(in, []int32{int32(s.Source), int32(x.Rank()), int32(1 - side)}) {
			return fmt.Errorf("from rank %d of side %d came %v", s.Source, 1-side, in)
		}
		order = append(order, 3*s.Source+s.Tag)
	}
	slices.Sort(order)
	for i, got := range order {
		if got != i {
			return fmt.Errorf("received %v", order)
		}
	}
	return comm.WaitAll(sends, nil)
}

// interData compares bcast, allgather and alltoall of several lengths with what the other group has
// sent. Elements name the sender, the receiver and the place.
func interData(x *comm.Comm, mine, theirs []int, side int) error {
	data := func(from, to, n int) (list []int64) {
		for i := range n {
			list = append(list, int64(1e6*from+1e4*to+i))
		}
		return list
	}
	me := mine[x.Rank()]
	for _, n := range []int{0, 1, 700} {
		out, gathered, exchanged := []int64{}, []int64{}, []int64{} // nil is in place
		for _, peer := range theirs {
			out = append(out, data(me, peer, n)...)
			exchanged = append(exchanged, data(peer, me, n)...)
			gathered = append(gathered, data(peer, 0, n)...)
		}
		in := make([]int64, n*len(theirs))
		if err := comm.Alltoall(x, out, in); err != nil || !slices.Equal(in, exchanged) {
			return fmt.Errorf("alltoall of %d: %v, received %v", n, err, in)
		}
		if err := comm.Allgather(x, append([]int64{}, data(me, 0, n)...), in); err != nil || !slices.Equal(in, gathered) {
			return fmt.Errorf("allgather of %d: %v, received %v", n, err, in)
		}
		for from, group := range [][]int{mine, theirs} {
			if side == 1 { // both sides begin with the first
				from, group = 1-from, [][]int{theirs, mine}[from]
			}
			for root, rank := range group {
				root, buf, want := root, make([]int64, n), data(rank, 0, n)
				switch {
				case from == 1:
				case rank == me:
					root, buf = comm.Root, slices.Clone(want)
				default:
					root, want = comm.ProcNull, make([]int64, n)
				}
				if err := comm.Bcast(x, buf, root); err != nil || !slices.Equal(buf, want) {
					return fmt.Errorf("bcast of %d from %d: %v, received %v", n, rank, err, buf)
				}
			}
		}
	}
	return nil
}

// interReduce compares allreduce, also with an operator that does not commute, with the vectors of
// the other group.
func interReduce(x *comm.Comm, mine, theirs []int, _ int) error {
	last := op.New("last", false, func(_, right int64) int64 { return right })
	for _, n := range []int{0, 3, 5000} {
		out, in, sum := make([]int64, n), make([]int64, n), 0
		for i := range out {
			out[i] = int64(mine[x.Rank()] + i)
		}
		for _, rank := range theirs {
			sum += rank
		}
		for _, o := range []*op.Op{op.Sum[int64](), last} {
			if err := comm.Allreduce(x, out, in, o); err != nil {
				return err
			}
			for i, got := range in {
				want := int64(sum + i*len(theirs))
				if o == last {
					want = int64(theirs[len(theirs)-1] + i)
				}
				if got != want {
					return fmt.Errorf("%v: element %d of %d is %d, want %d", o, i, n, got, want)
				}
			}
		}
	}
	return nil
}

// Messages of a communicator, received or not, are no part of its division, which the communicator
// keeps until one of them is closed.
func TestDivisionAmongMessages(t *testing.T) {
	ranks(t, "memwire", 3, func(w *comm.Comm) error {
		var in [1]byte
		posted, err := comm.Irecv(w, in[:], comm.AnySource, comm.AnyTag)
		if err != nil {
			return err
		}
		x, err := w.Divide()
		if err != nil {
			return err
		}
		same, err := w.Divide()
		if err := errors.Join(err, must(same == x, "another one"), x.Close()); err != nil {
			return err
		}
		for range 2 { // one for the receive, the other is there during Divide
			for peer := range w.Size() {
				if err := comm.Send(w, []byte{10}, peer, 0); err != nil {
					return err
				}
			}
		}
		if _, err := posted.Wait(); err != nil || in[0] != 10 {
			return fmt.Errorf("received %d: %w", in[0], err)
		}
		other, err := w.Divide()
		if err != nil || other == x {
			return fmt.Errorf("after Close: %w", err)
		}
		for range 2*w.Size() - 1 {
			if _, err := comm.Recv(w, in[:], comm.AnySource, 0); err != nil {
				return err
			}
		}
		return comm.Barrier(other)
	})
}

// What an inter-communicator does not offer, ranks of both groups and leaders that do not exist are
// errors that leave the ranks in step.
func TestInterCommunicatorsThatDoNotFit(t *testing.T) {
	ranks(t, "memwire", 3, func(w *comm.Comm) error {
		var wrong *comm.ArgumentError
		if _, err := comm.NewInter(w, 0, w, 0, 0); !errors.As(err, &wrong) || wrong.Name != "a rank of both groups" {
			return fmt.Errorf("the same group twice: %v", err)
		}
		if _, err := comm.NewInter(w, 3, w, 0, 0); !errors.As(err, &wrong) || wrong.Name != "the leader" {
			return fmt.Errorf("a leader too high: %v", err)
		}
		if _, err := comm.NewInter(w, 2, w, 9, 0); w.Rank() == 2 && !errors.As(err, &wrong) || w.Rank() < 2 && !errors.Is(err, comm.ErrBridge) {
			return fmt.Errorf("another leader that does not exist: %v", err)
		}
		if _, err := w.Merge(true); !errors.Is(err, comm.ErrNotInter) {
			return fmt.Errorf("one group merged: %v", err)
		}
		x, err := w.Divide()
		if err != nil {
			return err
		}
		n := x.Remote().Size()
		data, counts := make([]int64, 6), make([]int, n)
		asked := func(_ any, err error) error { return err }
		for i, err := range []error{
			comm.Gather(x, data[:1], data[:n], 0), comm.Scatter(x, data[:n], data[:1], 0), comm.Scan(x, data[:1], data[1:2], op.Sum[int64]()),
			comm.Reduce(x, data[:1], data[1:2], op.Sum[int64](), 0), comm.ReduceScatterBlock(x, data[:n], data[:1], op.Sum[int64]()),
			comm.Allreduce(x, nil, data, op.Sum[int64]()), comm.Allgather(x, nil, data[:n]), comm.Alltoall(x, nil, data[:n]),
			comm.Allgatherv(x, nil, data, counts, nil), comm.Alltoallv(x, data, counts, nil, data, counts, nil), comm.Gatherv(x, data, data, counts, nil, 0),
			asked(comm.Ibarrier(x)), asked(comm.Ibcast(x, data, 0)),
			asked(x.Dup()), asked(x.Split(0, 0)), asked(x.Create(x.Group())), asked(comm.NewCart(x, []int{1}, []bool{true}, false)),
			asked(comm.NewGraph(x, nil, nil)), asked(comm.AllocWindow[int64](x, 1)), asked(comm.NewInter(x, 0, w, 0, 0)),
		} {
			if !errors.Is(err, comm.ErrInter) {
				return fmt.Errorf("number %d: %v", i, err)
			}
		}
		for _, err := range []error{comm.Send(x, data, n, 0), comm.Bcast(x, data, n), comm.Alltoall(x, data[:2*n], data[:n])} {
			if !errors.As(err, &wrong) {
				return fmt.Errorf("a rank or length that is wrong: %v", err)
			}
		}
		return errors.Join(comm.Barrier(x), x.Close(), must(errors.Is(comm.Barrier(x), comm.ErrClosed) && x.Size() == 0, "closed"))
	})
}
