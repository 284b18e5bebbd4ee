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

// ring passes a vector of one type around and back.
func ring[T comm.Type](w *comm.Comm, make func(i int) T) error {
	n, me := w.Size(), w.Rank()
	right, left := (me+1)%n, (me+n-1)%n
	var want []T
	for i := range 7 {
		want = append(want, make(i))
	}
	out, in := slices.Clone(want), [9]T{}
	if me != 0 {
		out = nil
	}
	for hop := range n {
		if hop == me {
			if me != 0 {
				out = slices.Clone(in[:7])
			}
			s, err := comm.Sendrecv(w, out, right, 3, in[:0], comm.ProcNull, 0)
			if err != nil {
				return err
			}
			if s.Source != comm.ProcNull || s.Tag != comm.AnyTag || s.Bytes != 0 {
				return fmt.Errorf("received %+v from nobody", s)
			}
		}
		if (hop+1)%n == me {
			s, err := comm.Recv(w, in[:], left, 3)
			if err != nil {
				return err
			}
			if s.Source != left || s.Tag != 3 || comm.Count[T](s) != 7 || !slices.Equal(in[:7], want) {
				return fmt.Errorf("received %v, %+v, want %v", in, s, want)
			}
			if in[7] != in[8] || in[7] == want[6] {
				return fmt.Errorf("what is behind the message was written: %v", in)
			}
		}
	}
	return nil
}

func TestAllTypesGoAround(t *testing.T) {
	type celsius float32
	everywhere(t, func(w *comm.Comm) error {
		if w.Size() == 1 {
			return nil // a blocking send to oneself waits for ever
		}
		return errors.Join(
			ring(w, func(i int) int8 { return int8(i - 100) }),
			ring(w, func(i int) uint8 { return uint8(i + 200) }),
			ring(w, func(i int) int16 { return int16(i - 30000) }),
			ring(w, func(i int) uint16 { return uint16(i + 60000) }),
			ring(w, func(i int) int32 { return int32(i - 1<<31) }),
			ring(w, func(i int) uint32 { return uint32(i + 1<<31) }),
			ring(w, func(i int) int64 { return int64(i - 1<<62) }),
			ring(w, func(i int) uint64 { return uint64(i) + 1<<63 }),
			ring(w, func(i int) int { return i + 1 }),
			ring(w, func(i int) uint { return uint(i + 1) }),
			ring(w, func(i int) float32 { return float32(i) + 0.5 }),
			ring(w, func(i int) float64 { return float64(i) + 0.25 }),
			ring(w, func(i int) complex64 { return complex(float32(i), 1) }),
			ring(w, func(i int) complex128 { return complex(float64(i), -1) }),
			ring(w, func(i int) celsius { return celsius(i) + 36.6 }),
			ring(w, func(i int) op.Float64Loc { return op.Float64Loc{Value: 1.5, Index: int64(i)} }),
			ring(w, func(i int) op.Int32Loc { return op.Int32Loc{Value: 7, Index: int32(i)} }),
		)
	})
}

// Every way to send, in every size that takes another way through the device.
func TestModes(t *testing.T) {
	type start func(c *comm.Comm, data []int32, dst, tag int) (comm.Request, error)
	type block func(c *comm.Comm, data []int32, dst, tag int) error
	starts := []start{comm.Isend[int32], comm.Issend[int32], comm.Irsend[int32], comm.Ibsend[int32],
		startedAtOnce(comm.SendInit[int32]), startedAtOnce(comm.SsendInit[int32]), startedAtOnce(comm.RsendInit[int32]), startedAtOnce(comm.BsendInit[int32])}
	blocks := []block{comm.Send[int32], comm.Ssend[int32], comm.Rsend[int32], comm.Bsend[int32]}
	everywhere(t, func(w *comm.Comm) error {
		n, me := w.Size(), w.Rank()
		right, left := (me+1)%n, (me+n-1)%n
		if err := comm.AttachBuffer(w, make([]byte, 1<<20)); err != nil {
			return err
		}
		for _, size := range []int{0, 1, 100, 20_000} {
			data := make([]int32, size)
			check := func(what string, i int, in []int32, s comm.Status) error {
				for k, v := range in {
					if v != int32(left*1000+i+k) {
						return fmt.Errorf("%s %d of %d elements: element %d is %d", what, i, size, k, v)
					}
				}
				return must(s.Source == left && s.Tag == i && comm.Count[int32](s) == size, "%s %d of %d: status %+v", what, i, size, s)
			}
			fill := func(i int) {
				for k := range data {
					data[k] = int32(me*1000 + i + k)
				}
			}
			for i, f := range starts {
				fill(i)
				in := make([]int32, size)
				receive, err := comm.Irecv(w, in, left, i)
				if err != nil {
					return err
				}
				send, err := f(w, data, right, i)
				if err != nil {
					return err
				}
				both, statuses := []comm.Request{receive, send}, make([]comm.Status, 2)
				if err := comm.WaitAll(both, statuses); err != nil {
					return err
				}
				if err := check("start", i, in, statuses[0]); err != nil {
					return err
				}
			}
			for i, f := range blocks {
				fill(i)
				in := make([]int32, size)
				receive, err := comm.Irecv(w, in, comm.AnySource, comm.AnyTag)
				if err != nil {
					return err
				}
				if err := f(w, data, right, i); err != nil {
					return err
				}
				s, err := receive.Wait()
				if err != nil {
					return err
				}
				if err := check("block", i, in, s); err != nil {
					return err
				}
			}
		}
		buf, err := comm.DetachBuffer(w)
		if err != nil {
			return err
		}
		return must(len(buf) == 1<<20, "%d bytes came back", len(buf))
	})
}

// startedAtOnce makes a start of a persistent request.
func startedAtOnce(init func(c *comm.Comm, data []int32, dst, tag int) (comm.Request, error)) func(c *comm.Comm, data []int32, dst, tag int) (comm.Request, error) {
	return func(c *comm.Comm, data []int32, dst, tag int) (comm.Request, error) {
		r, err := init(c, data, dst, tag)
		if err != nil {
			return r, err
		}
		return r, r.Start()
	}
}

func TestNobody(t *testing.T) {
	everywhere(t, func(w *comm.Comm) error {
		data := []float32{1, 2, 3}
		for _, send := range []func(*comm.Comm, []float32, int, int) error{comm.Send[float32], comm.Ssend[float32], comm.Rsend[float32], comm.Bsend[float32]} {
			if err := send(w, data, comm.ProcNull, 0); err != nil {
				return err
			}
		}
		var all []comm.Request
		for _, start := range []func(*comm.Comm, []float32, int, int) (comm.Request, error){
			comm.Isend[float32], comm.Issend[float32], comm.Irsend[float32], comm.Ibsend[float32], comm.Irecv[float32],
			comm.SendInit[float32], comm.RecvInit[float32], comm.SsendInit[float32]} {
			r, err := start(w, data, comm.ProcNull, 0)
			if err != nil {
				return err
			}
			r.Start() // those that can be
			all = append(all, r)
		}
		statuses := make([]comm.Status, len(all))
		if err := comm.WaitAll(all, statuses); err != nil {
			return err
		}
		s, err := comm.Recv(w, data, comm.ProcNull, comm.AnyTag)
		if err != nil {
			return err
		}
		v, err := comm.RecvVector(w, data, comm.Vector{Count: 2, Block: 1, Stride: 2}, comm.ProcNull, 0)
		if err != nil {
			return err
		}
		p, err := comm.Probe(w, comm.ProcNull, 0)
		if err != nil {
			return err
		}
		i, found, err := comm.Iprobe(w, comm.ProcNull, 0)
		if err != nil {
			return err
		}
		want := comm.Status{Source: comm.ProcNull, Tag: comm.AnyTag}
		return must(s == want && statuses[4] == want && v == want && p == want && i == want && found && slices.Equal(data, []float32{1, 2, 3}),
			"from nobody came %+v, %+v, %+v, %+v", s, statuses[4], p, i)
	})
}

func TestProbe(t *testing.T) {
	everywhere(t, func(w *comm.Comm) error {
		if w.Rank() != 0 {
			if err := comm.Send(w, make([]int64, w.Rank()), 0, 10+w.Rank()); err != nil {
				return err
			}
			return comm.Barrier(w) // rank 0 looks for more while the others are there
		}
		for range w.Size() - 1 {
			s, err := comm.Probe(w, comm.AnySource, comm.AnyTag)
			if err != nil {
				return err
			}
			again, found, err := comm.Iprobe(w, s.Source, s.Tag)
			if err != nil {
				return err
			}
			if !found || again != s || s.Tag != 10+s.Source || comm.Count[int64](s) != s.Source {
				return fmt.Errorf("probed %+v, then %v %+v", s, found, again)
			}
			if _, err := comm.Recv(w, make([]int64, comm.Count[int64](s)), s.Source, s.Tag); err != nil {
				return err
			}
		}
		_, found, err := comm.Iprobe(w, comm.AnySource, comm.AnyTag)
		return errors.Join(err, must(!found, "a message too many"), comm.Barrier(w))
	})
}

// Data that every rank sends by SendrecvReplace, by random steps around the ring, and now and then
// to or from nobody, is where a model has it.
func TestSendrecvReplace(t *testing.T) {
	everywhere(t, func(w *comm.Comm) error {
		n, me := w.Size(), w.Rank()
		random := rand.New(rand.NewPCG(43, uint64(n))) // the same on all ranks
		for _, length := range []int{0, 1, 3000} {
			data, model := make([]int64, length), make([]int64, n) // what the elements of each rank begin at
			for rank := range model {
				model[rank] = int64(rank * 10_000)
			}
			for i := range data {
				data[i] = model[me] + int64(i)
			}
			for round := range 6 {
				step, nobody := random.IntN(n), random.IntN(2*n) // a rank that keeps its data, or none
				dst, src := (me+step)%n, (me+n-step)%n
				next := slices.Clone(model)
				for rank := range n {
					if to := (rank + step) % n; to != nobody {
						next[to] = model[rank]
					}
				}
				if dst == nobody {
					dst = comm.ProcNull
				}
				if me == nobody {
					src = comm.ProcNull
				}
				s, err := comm.SendrecvReplace(w, data, dst, round, src, round)
				if err != nil {
					return err
				}
				model = next
				for i, got := range data {
					if got != model[me]+int64(i) || s.Source != src {
						return fmt.Errorf("round %d, %+v: element %d is %d, want %d", round, s, i, got, model[me]+int64(i))
					}
				}
			}
		}
		return nil
	})
}

func TestTruncation(t *testing.T) {
	everywhere(t, func(w *comm.Comm) error {
		n, me := w.Size(), w.Rank()
		in := []int16{7, 7, 7, 7, 7, 7}
		r, err := comm.Irecv(w, in[:2], (me+1)%n, 0)
		if err != nil {
			return err
		}
		if err := comm.Send(w, []int16{1, 2, 3}, (me+n-1)%n, 0); err != nil {
			return err
		}
		_, err = r.Wait()
		var long *device.TruncationError
		if !errors.As(err, &long) || long.Size != 6 || long.Room != 4 {
			return fmt.Errorf("too long a message: %v", err)
		}
		return must(slices.Equal(in, []int16{1, 2, 7, 7, 7, 7}), "received %v", in)
	})
}
