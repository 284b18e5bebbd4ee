package comm_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gobench/comm"
	"gobench/comm/op"
	"gobench/device"
)

// Arguments drawn at random, most of them wrong: every call returns, with or
// without an error, and none panics. A communicator of one rank does not wait.
func TestRandomArgumentsDoNotPanic(t *testing.T) {
	for _, transport := range []string{"memwire", "smem"} {
		ranks(t, transport, 1, func(w *comm.Comm) error {
			for seed := range uint64(3000) {
				h := hostile{rand.New(rand.NewPCG(seed, 31)), w}
				if err := h.call(); err != nil && !known(err) {
					return err
				}
			}
			return comm.Barrier(w)
		})
	}
}

// known are the errors that a caller's mistake may bring.
func known(err error) bool {
	var argument *comm.ArgumentError
	var wrong *comm.TypeError
	var full *comm.BufferError
	var operator *op.InvalidError
	return errors.As(err, &argument) || errors.As(err, &wrong) || errors.As(err, &full) || errors.As(err, &operator) ||
		errors.Is(err, device.ErrTruncated) || errors.Is(err, comm.ErrAttached)
}

type hostile struct {
	*rand.Rand
	w *comm.Comm
}

func (h hostile) number() int {
	return []int{0, 0, 0, 1, 1, 2, 3, 5, -1, -2, -3, 7, math.MaxInt32, math.MaxInt32 + 1, math.MinInt, math.MaxInt}[h.IntN(16)]
}

func (h hostile) numbers() []int {
	if h.IntN(4) == 0 {
		return nil
	}
	list := make([]int, h.IntN(3))
	for i := range list {
		list[i] = h.number()
	}
	return list
}

func (h hostile) data() []int32 {
	if h.IntN(4) == 0 {
		return nil
	}
	return make([]int32, h.IntN(6))
}

func (h hostile) vector() comm.Vector {
	return comm.Vector{Count: h.number(), Block: h.number(), Stride: h.number()}
}

func (h hostile) op() *op.Op {
	return []*op.Op{op.Sum[int32](), op.Sum[int32](), nil, op.Max[float32](), op.New[int32]("none", true, nil)}[h.IntN(5)]
}

// started ends a request immediately, because no rank will match it.
func started(r comm.Request, err error) error {
	if err != nil {
		return err
	}
	r.Cancel()
	_, err = r.Wait()
	return err
}

func (h hostile) call() error {
	w := h.w
	switch h.IntN(29) {
	case 0:
		return started(comm.Isend(w, h.data(), h.number(), h.number()))
	case 1:
		return started(comm.Issend(w, h.data(), h.number(), h.number()))
	case 2:
		return started(comm.Irecv(w, h.data(), h.number(), h.number()))
	case 3:
		return started(comm.IsendVector(w, h.data(), h.vector(), h.number(), h.number()))
	case 4:
		return started(comm.IrecvVector(w, h.data(), h.vector(), h.number(), h.number()))
	case 28:
		_, _, _, err := comm.Improbe(w, h.number(), h.number())
		return err
	case 5:
		_, _, err := comm.Iprobe(w, h.number(), h.number())
		return err
	case 6:
		return comm.Bcast(w, h.data(), h.number())
	case 7:
		return comm.Gather(w, h.data(), h.data(), h.number())
	case 8:
		return comm.Gatherv(w, h.data(), h.data(), h.numbers(), h.numbers(), h.number())
	case 9:
		return comm.Scatter(w, h.data(), h.data(), h.number())
	case 10:
		return comm.Scatterv(w, h.data(), h.numbers(), h.numbers(), h.data(), h.number())
	case 11:
		return comm.Allgather(w, h.data(), h.data())
	case 12:
		return comm.Allgatherv(w, h.data(), h.data(), h.numbers(), h.numbers())
	case 13:
		return comm.Alltoall(w, h.data(), h.data())
	case 14:
		return comm.Alltoallv(w, h.data(), h.numbers(), h.numbers(), h.data(), h.numbers(), h.numbers())
	case 15:
		return comm.Reduce(w, h.data(), h.data(), h.op(), h.number())
	case 16:
		return comm.Allreduce(w, h.data(), h.data(), h.op())
	case 17:
		return comm.Scan(w, h.data(), h.data(), h.op())
	case 18:
		return comm.ReduceScatter(w, h.data(), h.data(), h.numbers(), h.op())
	case 19:
		return comm.ReduceScatterBlock(w, h.data(), h.data(), h.op())
	case 20:
		return started(comm.Iallreduce(w, h.data(), h.data(), h.op()))
	case 21:
		return h.group()
	case 22:
		return h.grid()
	case 23:
		_, err := comm.DimsCreate(h.IntN(100), h.numbers())
		return err
	case 24:
		return comm.Exscan(w, h.data(), h.data(), h.op())
	case 25:
		return started(comm.Ialltoall(w, h.data(), h.data()))
	case 26:
		c, err := w.Split(h.number(), h.number())
		if c == nil {
			return err
		}
		return c.Close()
	}
	return comm.WaitAll(make([]comm.Request, h.IntN(3)), make([]comm.Status, h.IntN(3)))
}

func (h hostile) group() error {
	g, err := comm.NewGroup(h.numbers()...)
	_, e1 := g.Incl(h.numbers()...)
	_, e2 := g.InclRange(comm.Range{First: h.number(), Last: h.number(), Stride: h.number()})
	_, e3 := h.w.Group().ExclRange(comm.Range{First: h.number(), Last: h.number(), Stride: h.number()})
	_, e4 := g.Translate(h.numbers(), h.w.Group())
	c, e5 := h.w.Create(g)
	if c != nil {
		e5 = c.Close()
	}
	for _, e := range []error{err, e1, e2, e3, e4, e5} {
		if e != nil && !known(e) {
			return e
		}
	}
	return nil
}

func (h hostile) grid() error {
	k, err := comm.NewCart(h.w, h.numbers(), make([]bool, h.IntN(3)), true)
	if err != nil {
		return err
	}
	_, e1 := k.Coords(h.number())
	_, e2 := k.RankOf(h.numbers()...)
	_, _, e3 := k.Shift(h.number(), h.number())
	for _, e := range []error{e1, e2, e3} {
		if e != nil && !known(e) {
			return e
		}
	}
	return k.Close()
}
