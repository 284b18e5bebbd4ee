package comm_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"gobench/comm"
	"gobench/comm/op"
)

// What a caller can do wrong is an error that names the operation and the value,
// nothing is sent, and the communicator can be used afterwards.
func TestArguments(t *testing.T) {
	ranks(t, "memwire", 2, func(w *comm.Comm) error {
		one, two, three, four := make([]int32, 1), make([]int32, 2), make([]int32, 3), make([]int32, 4)
		sum := op.Sum[int32]()
		me := w.Rank()
		started := func(_ comm.Request, err error) error { return err }
		probed := func(_ comm.Status, _ bool, err error) error { return err }
		for i, c := range []struct {
			err  error
			want string
		}{
			{comm.Send(w, one, 2, 0), "send: the destination is 2, want a rank in 0..1 or ProcNull"},
			{comm.Send(w, one, comm.AnySource, 0), "send: the destination is -1, want a rank in 0..1 or ProcNull"},
			{comm.Send(w, one, 0, -1), "send: the tag is -1, want a tag in 0..2147483647"},
			{comm.Send(w, one, comm.ProcNull, -1), "send: the tag is -1, want a tag in 0..2147483647"},
			{comm.Ssend(w, one, 0, 1<<31), "ssend: the tag is 2147483648, want a tag in 0..2147483647"},
			{comm.Rsend(w, one, -5, 0), "rsend: the destination is -5, want a rank in 0..1 or ProcNull"},
			{comm.Bsend(w, one, 2, 0), "bsend: the destination is 2, want a rank in 0..1 or ProcNull"},
			{comm.Bsend(w, one, 0, 0), "bsend: no buffer is attached for a message of 4 bytes"},
			{started(comm.Issend(w, one, 2, 0)), "ssend: the destination is 2, want a rank in 0..1 or ProcNull"},
			{started(comm.SendInit(w, one, 2, 0)), "send: the destination is 2, want a rank in 0..1 or ProcNull"},
			{second(comm.Recv(w, one, 2, 0)), "recv: the source is 2, want a rank in 0..1, AnySource or ProcNull"},
			{second(comm.Recv(w, one, 0, -2)), "recv: the tag is -2, want a tag in 0..2147483647 or AnyTag"},
			{started(comm.Irecv(w, one, 0, 1<<31)), "recv: the tag is 2147483648, want a tag in 0..2147483647 or AnyTag"},
			{started(comm.RecvInit(w, one, 2, 0)), "recv: the source is 2, want a rank in 0..1, AnySource or ProcNull"},
			{second(comm.Sendrecv(w, one, 2, 0, one, 0, 0)), "sendrecv: the destination is 2, want a rank in 0..1 or ProcNull"},
			{second(comm.Sendrecv(w, one, 0, 0, one, 0, -2)), "sendrecv: the tag is -2, want a tag in 0..2147483647 or AnyTag"},
			{second(comm.Probe(w, 2, 0)), "probe: the source is 2, want a rank in 0..1, AnySource or ProcNull"},
			{probed(comm.Iprobe(w, 0, -2)), "probe: the tag is -2, want a tag in 0..2147483647 or AnyTag"},
			{comm.Bcast(w, one, 2), "bcast: the root is 2, want a rank in 0..1"},
			{started(comm.Ibcast(w, one, -1)), "bcast: the root is -1, want a rank in 0..1"},
			{comm.Gather(w, one, three, me), "gather: the length of recv is 3, want 2, the length of send for each rank"},
			{comm.Gather(w, nil, three, me), "gather: the length of recv is 3, want a multiple of 2, the number of ranks"},
			{comm.Gather(w, one, two, 7), "gather: the root is 7, want a rank in 0..1"},
			{comm.Scatter(w, three, one, me), "scatter: the length of send is 3, want 2, the length of recv for each rank"},
			{comm.Scatter(w, three, nil, me), "scatter: the length of send is 3, want a multiple of 2, the number of ranks"},
			{comm.Allgather(w, two, three), "allgather: the length of recv is 3, want 4, the length of send for each rank"},
			{started(comm.Iallgather(w, nil, three)), "allgather: the length of recv is 3, want a multiple of 2, the number of ranks"},
			{comm.Alltoall(w, two, four), "alltoall: the length of recv is 4, want 2, the length of send"},
			{started(comm.Ialltoall(w, three, three)), "alltoall: the length of recv is 3, want a multiple of 2, the number of ranks"},
			{comm.Gatherv(w, one, two, []int{1}, nil, me), "gather: the length of counts is 1, want 2, the number of ranks"},
			{comm.Gatherv(w, one, two, []int{1, 1}, []int{0}, me), "gather: the length of displs is 1, want 2, the number of ranks"},
			{comm.Gatherv(w, two, two, []int{1, 1}, nil, me), "gather: the length of send is 2, want 1, the count of this rank"},
			{comm.Gatherv(w, one, two, []int{1, 1}, []int{0, 2}, me), "gather: the length of the buffer is 2, want at least 3, where the block of rank 1 ends"},
			{comm.Gatherv(w, one, two, []int{1, 1}, []int{0, -1}, me), "gather: the displacement of rank 1 is -1, want 0 or more"},
			{comm.Scatterv(w, two, []int{1, -1}, nil, one, 1-me), "scatter: the count of rank 1 is -1, want 0 or more"},
			{comm.Scatterv(w, two, []int{1, 1}, nil, two, 1-me), "scatter: the length of recv is 2, want 1, the count of this rank"},
			{comm.Allgatherv(w, one, one, []int{1, 1}, nil), "allgather: the length of the buffer is 1, want at least 2, where the block of rank 1 ends"},
			{comm.Allgatherv(w, two, four, []int{1, 1}, nil), "allgather: the length of send is 2, want 1, the count of this rank"},
			{comm.Alltoallv(w, four, []int{2, 2}, nil, two, []int{1, 1}, nil), "alltoall: what this rank sends to itself is 2, want what it receives from itself"},
			{comm.Alltoallv(w, one, []int{1, 1}, nil, two, []int{1, 1}, nil), "alltoall: the length of the buffer is 1, want at least 2, where the block of rank 1 ends"},
			{comm.Reduce(w, one, two, sum, me), "reduce: the length of recv is 2, want 1, the length of send"},
			{comm.Reduce(w, one, one, sum, 2), "reduce: the root is 2, want a rank in 0..1"},
			{comm.Reduce(w, one, one, nil, 0), "reduce: the reduction operator is missing"},
			{comm.Allreduce(w, one, one, op.Sum[float32]()), "allreduce: the operator is sum of float32, but the data are int32"},
			{comm.Allreduce(w, one, one, op.New[int32]("mine", true, nil)), `allreduce: the reduction operator "mine" has no function`},
			{started(comm.Iallreduce(w, one, two, sum)), "allreduce: the length of recv is 2, want 1, the length of send"},
			{comm.Scan(w, one, two, sum), "scan: the length of recv is 2, want 1, the length of send"},
			{comm.Exscan(w, two, one, sum), "exscan: the length of recv is 1, want 2, the length of send"},
			{comm.ReduceScatter(w, two, one, []int{1, 2}, sum), "reduce_scatter: the length of send is 2, want 3, the sum of the counts"},
			{comm.ReduceScatter(w, two, two, []int{1, 1}, sum), "reduce_scatter: the length of recv is 2, want 1, the count of this rank"},
			{comm.ReduceScatter(w, nil, three, []int{1, 1}, sum), "reduce_scatter: the length of recv is 3, want 2, the sum of the counts"},
			{comm.ReduceScatterBlock(w, three, one, sum), "reduce_scatter: the length of send is 3, want 2, the length of recv for each rank"},
			{comm.ReduceScatterBlock(w, nil, three, sum), "reduce_scatter: the length of recv is 3, want a multiple of 2, the number of ranks"},
		} {
			if c.err == nil || c.err.Error() != c.want {
				return fmt.Errorf("case %d: %v, want %s", i, c.err, c.want)
			}
		}
		var arg *comm.ArgumentError
		if err := comm.Bcast(w, one, 9); !errors.As(err, &arg) || *arg != (comm.ArgumentError{Op: "bcast", Name: "the root", Value: 9, Want: "a rank in 0..1"}) {
			return fmt.Errorf("%#v", err)
		}
		return talk(w, 1)
	})
}

// Operators fit elements of types that are named by users, and no others.
func TestOperatorsAndNamedTypes(t *testing.T) {
	type celsius float32
	ranks(t, "memwire", 3, func(w *comm.Comm) error {
		data := []celsius{celsius(w.Rank())}
		warmest := op.New("warmest", true, func(a, b celsius) celsius { return max(a, b) })
		for _, o := range []*op.Op{op.Max[celsius](), op.Max[float32](), warmest} {
			got := []celsius{0}
			if err := comm.Allreduce(w, data, got, o); err != nil || got[0] != 2 {
				return fmt.Errorf("%v: %v %v", o, got, err)
			}
		}
		var wrong *comm.TypeError
		if err := comm.Allreduce(w, nil, []float32{1}, warmest); !errors.As(err, &wrong) || !strings.Contains(err.Error(), "celsius") {
			return fmt.Errorf("an operator on celsius took float32: %v", err)
		}
		return errors.Join(located[op.Float64Loc](w), located[op.Float32Loc](w), located[op.Int64Loc](w), located[op.Int32Loc](w))
	})
}

// located finds a maximum and its place.
func located[T interface {
	comm.Type
	op.Located
}](w *comm.Comm) error {
	buffer, want := make([]T, 1), make([]T, 1)
	set := func(p *T, value, index int) {
		switch p := any(p).(type) {
		case *op.Float64Loc:
			*p = op.Float64Loc{Value: float64(value), Index: int64(index)}
		case *op.Float32Loc:
			*p = op.Float32Loc{Value: float32(value), Index: int32(index)}
		case *op.Int64Loc:
			*p = op.Int64Loc{Value: int64(value), Index: int64(index)}
		case *op.Int32Loc:
			*p = op.Int32Loc{Value: int32(value), Index: int32(index)}
		}
	}
	set(&buffer[0], w.Rank()%2, w.Rank())
	set(&want[0], 1, 1)
	if err := comm.Allreduce(w, nil, buffer, op.MaxLoc[T]()); err != nil || buffer[0] != want[0] {
		return fmt.Errorf("maxloc: %v %v, want %v", buffer, err, want)
	}
	return nil
}

func TestAfterClose(t *testing.T) {
	ranks(t, "memwire", 2, func(w *comm.Comm) error {
		c, err := w.Dup()
		if err != nil {
			return err
		}
		if err := c.Close(); err != nil {
			return err
		}
		sum, one := op.Sum[int32](), make([]int32, 1)
		started := func(_ comm.Request, err error) error { return err }
		_, probe := comm.Probe(c, 0, 0)
		_, _, iprobe := comm.Iprobe(c, 0, 0)
		_, detach := comm.DetachBuffer(c)
		_, dup := c.Dup()
		_, split := c.Split(0, 0)
		_, create := c.Create(w.Group())
		_, cart := comm.NewCart(c, nil, nil, false)
		_, recv := comm.Recv(c, one, 0, 0)
		_, vector := comm.RecvVector(c, make([]int32, 3), comm.Vector{Count: 2, Block: 1, Stride: 2}, 0, 0)
		for i, err := range []error{
			c.Close(), comm.Send(c, one, 0, 0), comm.Ssend(c, one, comm.ProcNull, 0), comm.Bsend(c, one, 0, 0), recv, vector, probe, iprobe,
			comm.Barrier(c), started(comm.Ibarrier(c)), comm.Bcast(c, one, 0), comm.Gather(c, one, nil, 0), comm.Scatter(c, nil, one, 0),
			comm.Allgather(c, one, one), comm.Alltoall(c, one, one), comm.Reduce(c, one, one, sum, 0), comm.Allreduce(c, one, one, sum),
			comm.Scan(c, one, one, sum), comm.ReduceScatterBlock(c, one, one, sum), comm.ReduceScatter(c, one, one, []int{1}, sum),
			comm.Allgatherv(c, one, one, []int{1}, nil), comm.Gatherv(c, one, one, []int{1}, nil, 0), comm.Alltoallv(c, one, []int{1}, nil, one, []int{1}, nil),
			comm.AttachBuffer(c, nil), detach, dup, split, create, cart,
		} {
			if !errors.Is(err, comm.ErrClosed) {
				return fmt.Errorf("operation %d on a closed communicator: %v", i, err)
			}
		}
		return must(c.Size() == 0, "a closed communicator has %d ranks", c.Size())
	})
}
