package comm_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gobench/comm"
	"gobench/comm/op"
)

// Random colours and keys, level upon level. Every rank draws for all ranks, so
// each knows what the new communicator must be.
func TestSplitRandomly(t *testing.T) {
	everywhere(t, func(w *comm.Comm) error {
		for seed := range uint64(6) {
			r := rand.New(rand.NewPCG(seed, 7))
			if err := splitOnce(w, r, 2); err != nil {
				return fmt.Errorf("seed %d: %w", seed, err)
			}
		}
		return nil
	})
}

func splitOnce(c *comm.Comm, r *rand.Rand, depth int) error {
	n := c.Size()
	colors, keys := make([]int, n), make([]int, n)
	for i := range n {
		colors[i], keys[i] = r.IntN(4)-1, r.IntN(3)-1
	}
	mine := colors[c.Rank()]
	got, err := c.Split(mine, keys[c.Rank()])
	if err != nil {
		return err
	}
	if mine < 0 {
		return must(got == nil, "colour %d got a communicator", mine)
	}
	var want []int
	for key := -1; key < 2; key++ {
		for i := range n {
			if colors[i] == mine && keys[i] == key {
				want = append(want, c.Group().Ranks()[i])
			}
		}
	}
	world := c.Group().Ranks()[c.Rank()]
	if !slices.Equal(got.Group().Ranks(), want) || got.Size() != len(want) || want[got.Rank()] != world {
		return fmt.Errorf("colours %v, keys %v: rank %d of %v, want %v", colors, keys, got.Rank(), got.Group().Ranks(), want)
	}
	if err := talk(got, int64(mine)); err != nil {
		return err
	}
	if depth > 0 {
		if err := splitOnce(got, r, depth-1); err != nil {
			return err
		}
	}
	return got.Close()
}

// talk uses a communicator: every rank sends to every other, and all reduce.
func talk(c *comm.Comm, salt int64) error {
	n, me := c.Size(), c.Rank()
	in := make([]int64, n)
	var all []comm.Request
	for rank := range n {
		r, err := comm.Irecv(c, in[rank:rank+1], rank, 5)
		if err != nil {
			return err
		}
		s, err := comm.Isend(c, []int64{salt*100 + int64(me*10+rank)}, rank, 5)
		if err != nil {
			return err
		}
		all = append(all, r, s)
	}
	statuses := make([]comm.Status, len(all))
	if err := comm.WaitAll(all, statuses); err != nil {
		return err
	}
	for rank, v := range in {
		if v != salt*100+int64(rank*10+me) || statuses[2*rank].Source != rank {
			return fmt.Errorf("rank %d of %d sent %d, status %+v", rank, n, v, statuses[2*rank])
		}
	}
	sum := []int64{int64(me)}
	if err := comm.Allreduce(c, nil, sum, op.Sum[int64]()); err != nil {
		return err
	}
	return must(sum[0] == int64(n*(n-1)/2), "sum of %d ranks is %d", n, sum[0])
}

// Messages with the same tags between the same ranks in several communicators,
// while collectives are under way: none is received in another one.
func TestCommunicatorsDoNotMix(t *testing.T) {
	everywhere(t, func(w *comm.Comm) error {
		n, me := w.Size(), w.Rank()
		turned, err := w.Split(0, -me) // the ranks in reverse
		if err != nil {
			return err
		}
		dup, err := w.Dup()
		if err != nil {
			return err
		}
		again, err := dup.Dup()
		if err != nil {
			return err
		}
		all := []*comm.Comm{w, turned, dup, again}
		var requests []comm.Request
		in := make([]int64, len(all)*n)
		sums := make([][]int64, len(all))
		// Receives are posted in one order and messages sent in another.
		for i, c := range all {
			for range n {
				r, err := comm.Irecv(c, in[len(requests):len(requests)+1], comm.AnySource, comm.AnyTag)
				if err != nil {
					return err
				}
				requests = append(requests, r)
			}
			sums[i] = []int64{int64(c.Rank() * i)}
		}
		for i := len(all) - 1; i >= 0; i-- {
			r, err := comm.Iallreduce(all[i], nil, sums[i], op.Sum[int64]())
			if err != nil {
				return err
			}
			requests = append(requests, r)
			for rank := range n {
				r, err := comm.Isend(all[i], []int64{int64(1000*i + 10*all[i].Rank() + rank)}, rank, 1)
				if err != nil {
					return err
				}
				requests = append(requests, r)
			}
		}
		statuses := make([]comm.Status, len(requests))
		if err := comm.WaitAll(requests, statuses); err != nil {
			return err
		}
		for i, c := range all {
			seen := make([]bool, n)
			for k := i * n; k < (i+1)*n; k++ {
				from := statuses[k].Source
				if in[k] != int64(1000*i+10*from+c.Rank()) || seen[from] {
					return fmt.Errorf("communicator %d received %d from %d", i, in[k], from)
				}
				seen[from] = true
			}
			if sums[i][0] != int64(i*n*(n-1)/2) {
				return fmt.Errorf("communicator %d: sum %d", i, sums[i][0])
			}
		}
		for _, c := range all[1:] {
			if err := c.Close(); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestCreate(t *testing.T) {
	everywhere(t, func(w *comm.Comm) error {
		n, me := w.Size(), w.Rank()
		var odd []int
		for i := n - 1; i >= 0; i-- {
			if i%2 == 1 {
				odd = append(odd, i)
			}
		}
		g, err := w.Group().Incl(odd...)
		if err != nil {
			return err
		}
		c, err := w.Create(g)
		if err != nil {
			return err
		}
		if me%2 == 0 {
			return must(c == nil, "rank %d is in the communicator of the odd", me)
		}
		if err := must(c.Group().Compare(g) == comm.Identical && odd[c.Rank()] == me, "rank %d is %d of %v", me, c.Rank(), c.Group().Ranks()); err != nil {
			return err
		}
		if err := talk(c, 3); err != nil {
			return err
		}
		outside, _ := comm.NewGroup(0)
		if _, err := c.Create(outside); err == nil {
			return fmt.Errorf("a group outside the communicator is accepted")
		}
		return c.Close()
	})
}

// Ranks that have made different numbers of communicators still agree on a context.
func TestContextsAreAgreedUpon(t *testing.T) {
	ranks(t, "memwire", 4, func(w *comm.Comm) error {
		pair, err := w.Split(w.Rank()/2, 0)
		if err != nil {
			return err
		}
		var kept []*comm.Comm
		for range 1 + 3*(w.Rank()/2) {
			c, err := pair.Dup()
			if err != nil {
				return err
			}
			kept = append(kept, c)
		}
		c, err := w.Dup()
		if err != nil {
			return err
		}
		kept = append(kept, c, pair)
		for _, c := range kept { // each of them is used while all exist
			if err := talk(c, int64(c.Size())); err != nil {
				return err
			}
		}
		for _, c := range kept {
			if err := c.Close(); err != nil {
				return err
			}
		}
		return nil
	})
}
