//go:build !race

package comm_test

import (
	"cmp"
	"fmt"
	"testing"

	"gobench/comm"
	"gobench/comm/op"
	"gobench/internal/allocs"
)

// Operations in steady state allocate nothing, on any rank: those of all are
// counted together. (The race detector allocates for itself.)
func TestNoAllocations(t *testing.T) {
	for _, n := range []int{2, 3} {
		ranks(t, "smem", n, func(w *comm.Comm) error {
			if err := noAllocations(w); err != nil {
				return err
			}
			turned, err := w.Split(0, -w.Rank())
			if err != nil {
				return err
			}
			if err := noAllocations(turned); err != nil {
				return fmt.Errorf("communicator with other ranks: %w", err)
			}
			return turned.Close()
		})
		for _, transport := range []string{"smem", "tcp"} {
			ranks(t, transport, n, windowAllocations)
		}
	}
}

// windowAllocations counts those of windows: direct ones over smem, by messages over tcp.
func windowAllocations(c *comm.Comm) error {
	const longest = 10_000
	w, err := comm.AllocWindow[float64](c, longest)
	if err != nil {
		return err
	}
	n, me := c.Size(), c.Rank()
	right, left := (me+1)%n, (me+n-1)%n
	data, result, sum := make([]float64, longest), make([]float64, longest), op.Sum[float64]()
	for _, o := range []struct {
		name string
		do   func() error
	}{
		{"put, fence", func() error { return cmp.Or(w.Put(data[:1], right, 0), w.Put(data, right, 0), w.Fence()) }},
		{"get in an epoch of start", func() error {
			return cmp.Or(w.Post(left), w.Start(right), w.Get(result, right, 0), w.Complete(), w.Wait())
		}},
		{"lock and atomic operations", func() error {
			return cmp.Or(w.Lock(right, false), w.Accumulate(data[:1], sum, right, 0), w.GetAccumulate(data[:2000], result[:2000], sum, right, 1),
				w.Flush(right), w.CompareAndSwap(1, 2, &result[0], right, 0), w.Unlock(right))
		}},
		{"lock all", func() error { return cmp.Or(w.LockAll(), w.Put(data[:10], left, 5), w.FlushAll(), w.UnlockAll()) }},
	} {
		if err := counted(c, "window: "+o.name, o.do); err != nil {
			return err
		}
	}
	return w.Close()
}

func noAllocations(c *comm.Comm) error {
	const longest = 1 << 13
	n, me := c.Size(), c.Rank()
	right, left := (me+1)%n, (me+n-1)%n
	out, in := make([]float64, longest*n), make([]float64, longest*n)
	counts := make([]int, n)
	for i := range counts {
		counts[i] = i
	}
	if err := comm.AttachBuffer(c, make([]byte, 1<<20)); err != nil {
		return err
	}
	sum := op.Sum[float64]()
	column := comm.Vector{Count: 100, Block: 1, Stride: 64}
	rows := comm.Vector{Count: 50, Block: 17, Stride: 64}
	var requests [4]comm.Request
	var statuses [4]comm.Status
	var kept [2]comm.Request
	var err error
	if kept[0], err = comm.SendInit(c, out[:10], right, 7); err != nil {
		return err
	}
	if kept[1], err = comm.RecvInit(c, in[:10], left, 7); err != nil {
		return err
	}
	wait := func(r comm.Request, err error) error {
		if err == nil {
			_, err = r.Wait()
		}
		return err
	}
	// ring passes on what the operations around it need: errors end the test.
	for _, k := range []int{0, 1, longest} {
		out, in := out[:k], in[:k]
		for _, o := range []struct {
			name string
			do   func() error
		}{
			{"sendrecv", func() error {
				_, err := comm.Sendrecv(c, out, right, 0, in, left, 0)
				return err
			}},
			{"send, recv", func() error {
				if me == 0 {
					if err := comm.Send(c, out, right, 0); err != nil {
						return err
					}
				}
				if _, err := comm.Recv(c, in, left, 0); err != nil || me == 0 {
					return err
				}
				return comm.Send(c, out, right, 0)
			}},
			{"issend, irecv, waitall", func() error {
				for i := range 2 {
					requests[i], _ = comm.Irecv(c, in, comm.AnySource, i)
					requests[2+i], _ = comm.Issend(c, out, right, i)
				}
				return comm.WaitAll(requests[:], statuses[:])
			}},
			{"isend, probe, recv, waitany", func() error {
				requests[0], _ = comm.Isend(c, out, right, 1)
				s, err := comm.Probe(c, left, comm.AnyTag)
				if err != nil {
					return err
				}
				if _, err := comm.Recv(c, in, s.Source, s.Tag); err != nil {
					return err
				}
				_, _, err = comm.WaitAny(requests[:])
				return err
			}},
			{"bsend", func() error {
				if err := comm.Bsend(c, out, right, 2); err != nil {
					return err
				}
				_, err := comm.Recv(c, in, left, 2)
				return err
			}},
			{"persistent", func() error {
				if err := comm.StartAll(kept[:]); err != nil {
					return err
				}
				return comm.WaitAll(kept[:], statuses[:2])
			}},
			{"barrier", func() error { return comm.Barrier(c) }},
			{"bcast", func() error { return comm.Bcast(c, out, n-1) }},
			{"reduce", func() error { return comm.Reduce(c, out, in, sum, 0) }},
			{"allreduce", func() error { return comm.Allreduce(c, out, in, sum) }},
			{"allreduce in place", func() error { return comm.Allreduce(c, nil, in, sum) }},
			{"ibarrier", func() error { return wait(comm.Ibarrier(c)) }},
			{"ibcast", func() error { return wait(comm.Ibcast(c, out, 0)) }},
			{"iallreduce", func() error { return wait(comm.Iallreduce(c, out, in, sum)) }},
		} {
			if err := counted(c, fmt.Sprintf("%s of %d", o.name, k), o.do); err != nil {
				return err
			}
		}
	}
	for _, v := range []comm.Vector{column, rows} {
		if err := counted(c, fmt.Sprintf("%+v", v), func() error {
			r, err := comm.IrecvVector(c, in, v, left, 3)
			if err != nil {
				return err
			}
			if err := comm.SendVector(c, out, v, right, 3); err != nil {
				return err
			}
			_, err = r.Wait()
			return err
		}); err != nil {
			return err
		}
	}
	return counted(c, "vector forms", func() error {
		if err := comm.Allgatherv(c, out[:me], in, counts, nil); err != nil {
			return err
		}
		if err := comm.ReduceScatter(c, out[:n*(n-1)/2], in[:me], counts, sum); err != nil {
			return err
		}
		return comm.Alltoall(c, out[:n], in[:n])
	})
}

// counted repeats an operation on all ranks, and on rank 0 returns an error if
// it allocates. The best of some rounds counts: queues grow now and then to what they need,
// and the runtime allocates for threads.
func counted(c *comm.Comm, what string, do func() error) error {
	const runs = 20
	var failed error
	once := func() {
		if err := do(); err != nil && failed == nil {
			failed = err
		}
	}
	for range 5 {
		once()
	}
	fewest := 0
	counts := c.Group().Rank(0) == c.Rank()
	if err := comm.Barrier(c); err != nil {
		return err
	}
	if counts {
		fewest = allocs.Count(runs, once)
	} else {
		for range allocs.Calls(runs) {
			once()
		}
	}
	if failed != nil {
		return fmt.Errorf("%s: %w", what, failed)
	}
	return must(fewest == 0, "%s: %d allocations in %d runs", what, fewest, runs)
}
