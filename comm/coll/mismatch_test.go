package coll

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"gobench/comm/op"
	"gobench/comm/schedule"
)

// odd changes one argument of the call of the last rank; want is part of the error that all ranks
// must get.
type odd struct {
	what   string
	change func(c *schedule.Call)
	want   string // "%d" stands for the last rank
}

func vector(c *schedule.Call, lens ...int) []schedule.Block {
	var blocks []schedule.Block
	at := 0
	for _, n := range lens {
		blocks = append(blocks, schedule.Block{Off: at, Len: n})
		at += n
	}
	return blocks
}

// odds are all things that may differ in an operation of 3 ranks and 4 elements.
func odds(kind schedule.Kind) []odd {
	list := []odd{{"kind", func(c *schedule.Call) {
		other := schedule.Barrier
		if kind == schedule.Barrier {
			other = schedule.Allgather
		}
		*c.Shape = schedule.Shape{Kind: other, Ranks: c.Shape.Ranks, Rank: c.Shape.Rank, Elem: 1}
		c.Op = nil
	}, "the operation is " + kind.String() + " on rank 0 and"}}
	add := func(what string, change func(c *schedule.Call), want string) {
		list = append(list, odd{what, change, want})
	}
	if kind.Rooted() {
		add("root", func(c *schedule.Call) { c.Shape.Root = 2 }, "root is 0 on rank 0 and 2 on rank 2")
	}
	if kind != schedule.Barrier {
		want := "the vector is 32 bytes on rank 0 and 40 bytes on rank 2"
		switch {
		case kind == schedule.Alltoall || kind.Neighbors():
			want = "the block from rank 0 to rank 2 is 32 bytes on rank 0 and 40 bytes on rank 2"
		case kind.Blocked():
			want = "the block of rank 0 is 32 bytes on rank 0 and 40 bytes on rank 2"
		}
		add("size", func(c *schedule.Call) { c.Shape.Bytes = 40 }, want)
		add("element", func(c *schedule.Call) { c.Shape.Elem = 4 }, "the size of an element is 8 on rank 0 and 4 on rank 2")
	}
	if kind.Reduces() {
		add("operator", func(c *schedule.Call) { c.Op = op.Max[int64]() },
			"the operator is sum of int64 on rank 0 and max of int64 on rank 2")
		add("type", func(c *schedule.Call) { c.Op = op.Sum[uint64]() },
			"the operator is sum of int64 on rank 0 and sum of uint64 on rank 2")
	}
	if !kind.Rooted() && kind != schedule.Barrier {
		add("in place", func(c *schedule.Call) { c.Shape.InPlace = true }, "in place is no on rank 0 and yes on rank 2")
	}
	if kind == schedule.Gather || kind == schedule.Allgather {
		add("blocks", func(c *schedule.Call) { c.Shape.RecvBlocks = vector(c, 32, 24, 32) },
			"the block of rank 1 is 32 bytes on rank 0 and 24 bytes on rank 2")
	}
	if kind == schedule.Scatter || kind == schedule.ReduceScatter {
		add("blocks", func(c *schedule.Call) { c.Shape.SendBlocks = vector(c, 32, 24, 32) },
			"the block of rank 1 is 32 bytes on rank 0 and 24 bytes on rank 2")
	}
	if kind == schedule.Alltoall {
		add("blocks", func(c *schedule.Call) {
			c.Shape.SendBlocks, c.Shape.RecvBlocks = vector(c, 32, 32, 32), vector(c, 32, 8, 32)
		}, "the block from rank 1 to rank 2 is 32 bytes on rank 1 and 8 bytes on rank 2")
	}
	return list
}

func TestStrictFindsEveryMismatch(t *testing.T) {
	const ranks = 3
	for kind := range schedule.Kind(schedule.Kinds) {
		for _, o := range odds(kind) {
			for _, blocking := range []bool{true, false} {
				t.Run(fmt.Sprintf("%v/%s/%t", kind, o.what, blocking), func(t *testing.T) {
					collective(t, hostile(), ranks, Options{Check: CheckStrict}, func(r *Runner) {
						c := call(r, kind, 4)
						if r.rank == ranks-1 {
							o.change(c)
							c.Send, c.Recv = make([]byte, c.Shape.SendLen()), make([]byte, c.Shape.RecvLen())
						}
						var err error
						if blocking {
							err = r.Do(c)
						} else {
							h, e := r.Start(c)
							if e != nil {
								t.Error(e)
							}
							err = r.Wait(h)
						}
						var mismatch *MismatchError
						if !errors.As(err, &mismatch) || mismatch.Kind != c.Shape.Kind || !strings.HasPrefix(err.Error(), c.Shape.Kind.String()+": "+o.want) {
							t.Errorf("rank %d: %v, want %v: %s", r.rank, err, c.Shape.Kind, o.want)
						}
						// The communicator can be used further.
						c = call(r, schedule.Allreduce, 4)
						fill(r, c, 1)
						if err := r.Do(c); err != nil {
							t.Errorf("rank %d: an operation after that: %v", r.rank, err)
						}
						right(t, r, c, 1)
					})
				})
			}
		}
	}
}

// What differs between the ranks by right is no mismatch.
func TestStrictAcceptsWhatMayDiffer(t *testing.T) {
	const ranks = 3
	collective(t, hostile(), ranks, Options{Check: CheckStrict}, func(r *Runner) {
		lens := func(f func(peer int) int) []schedule.Block { return vector(nil, f(0), f(1), f(2)) }
		for n, shape := range []schedule.Shape{
			{Kind: schedule.Gather, Bytes: 8, InPlace: r.rank == 0},
			{Kind: schedule.Alltoall, SendBlocks: lens(func(peer int) int { return 8 * (r.rank + 2*peer) }),
				RecvBlocks: lens(func(peer int) int { return 8 * (peer + 2*r.rank) })},
			{Kind: schedule.Allgather, RecvBlocks: lens(func(peer int) int { return 8 * peer })},
			{Kind: schedule.Barrier, Bytes: r.rank, Elem: r.rank, Root: r.rank},
		} {
			shape.Ranks, shape.Rank = ranks, r.rank
			c := &schedule.Call{Shape: &shape, Send: make([]byte, shape.SendLen()), Recv: make([]byte, shape.RecvLen())}
			if err := r.Do(c); err != nil {
				t.Errorf("rank %d: operation %d: %v", r.rank, n, err)
			}
		}
	})
}

// Lengths are compared even if nothing is checked.
func TestLengthsAreCheckedForNothing(t *testing.T) {
	for _, blocking := range []bool{true, false} {
		collective(t, hostile(), 2, Options{}, func(r *Runner) {
			c := call(r, schedule.Bcast, 2+r.rank)
			var err error
			if blocking {
				err = r.Do(c)
			} else {
				h, _ := r.Start(c)
				err = r.Wait(h)
			}
			want := ""
			if r.rank == 1 {
				want = "bcast: the message from rank 0 to rank 1 is 16 bytes on rank 0 and 24 bytes on rank 1"
			}
			if got := fmt.Sprint(err); got != want && !(err == nil && want == "") {
				t.Errorf("rank %d: %s, want %s", r.rank, got, want)
			}
		})
	}
}
