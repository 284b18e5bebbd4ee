package collective

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gobench/bench"
	"gobench/comm"
	"gobench/comm/schedule"
)

// distributions maps the distributions of uneven blocks to the weights of the blocks of ranks.
var distributions = map[string]func(rank, ranks int) float64{
	"even": func(int, int) float64 { return 1 },
	"large": func(rank, ranks int) float64 {
		if rank == ranks-1 {
			return float64(max(1, ranks-1))
		}
		return 1
	},
	"empty": func(rank, _ int) float64 { return float64((rank + 1) % 2) },
	"zipf":  func(rank, _ int) float64 { return 1 / float64(rank+1) },
	"random": func(rank, ranks int) float64 {
		return rand.New(rand.NewPCG(uint64(ranks), uint64(rank))).Float64()
	},
}

// CheckDistribution returns an error for an unknown distribution, or an operation without a form
// for uneven blocks.
func CheckDistribution(kind schedule.Kind, name string) error {
	if distributions[name] == nil {
		return fmt.Errorf("unknown distribution %q; known: even, large (one block is half of all), empty (every second block), zipf, random", name)
	}
	if !slices.Contains([]schedule.Kind{schedule.Gather, schedule.Scatter, schedule.Allgather, schedule.Alltoall}, kind) {
		return fmt.Errorf("%v has no form for uneven blocks: choose gather, scatter, allgather or alltoall", kind)
	}
	return nil
}

// Counts returns the bytes of the blocks of a distribution, which are ranks x size together.
func Counts(name string, size, ranks int) []int {
	weights, sum := make([]float64, ranks), 0.0
	for rank := range weights {
		weights[rank] = distributions[name](rank, ranks)
		sum += weights[rank]
	}
	counts, end, part := make([]int, ranks), 0, 0.0
	for rank, w := range weights {
		part += w
		next := int(math.Round(part / sum * float64(size*ranks)))
		counts[rank], end = next-end, next
	}
	return counts
}

// Uneven returns the blocks of a distribution (schedule.Shape.SendBlocks).
func Uneven(name string, size, ranks int) []schedule.Block {
	counts := Counts(name, size, ranks)
	blocks := make([]schedule.Block, ranks)
	for rank, at := range offsets(counts) {
		blocks[rank] = schedule.Block{Off: at, Len: counts[rank]}
	}
	return blocks
}

// uneven returns the benchmark of the vector form of an operation. The blocks of an alltoall from
// rank i to rank j have the length of block (i + j) modulo the number of ranks, so that all ranks
// send and receive as many bytes.
func uneven(kind schedule.Kind, o Options) bench.Benchmark {
	about := map[schedule.Kind]string{
		schedule.Gather: "a block of each rank to the root", schedule.Scatter: "a block of the root's for each rank",
		schedule.Allgather: "a block of each rank to all ranks", schedule.Alltoall: "a block from each rank to each rank",
	}[kind]
	b := benchmark(kind, o, about+", of different lengths", "", nil, each(2), func(env *bench.Env) bench.Op {
		return newUneven(env, kind, o)
	})
	b.Name += "v"
	b.Formula += "; size = mean of the blocks"
	return b
}

// unevenOp is one rank's part of a vector form. Block i of a buffer belongs to rank i.
type unevenOp struct {
	operation
	send, recv             []byte
	sendCounts, recvCounts []int
	sendDispls, recvDispls []int
}

func newUneven(env *bench.Env, kind schedule.Kind, o Options) *unevenOp {
	me, ranks := env.Rank(), env.Size()
	counts := Counts(o.Distribution, env.Bytes, ranks)
	u := &unevenOp{operation: newOperation(env, kind, o), sendCounts: counts, recvCounts: counts}
	if kind == schedule.Alltoall {
		u.sendCounts = make([]int, ranks)
		for rank := range ranks {
			u.sendCounts[rank] = counts[(me+rank)%ranks]
		}
		u.recvCounts = u.sendCounts
	}
	u.sendDispls, u.recvDispls = offsets(u.sendCounts), offsets(u.recvCounts)
	u.send, u.recv = env.Alloc(env.Bytes*ranks), env.Alloc(env.Bytes*ranks)
	return u
}

// offsets returns where contiguous blocks begin.
func offsets(counts []int) []int {
	at, list := 0, make([]int, len(counts))
	for i, n := range counts {
		list[i] = at
		at += n
	}
	return list
}

// own returns the block of this rank in a buffer of the blocks of all.
func (u *unevenOp) own(data []byte) []byte {
	me := u.c.Rank()
	return data[u.sendDispls[me]:][:u.sendCounts[me]]
}

func (u *unevenOp) Do(k int) error {
	for range k {
		var err error
		switch u.kind {
		case schedule.Gather:
			err = comm.Gatherv(u.c, u.own(u.send), u.recv, u.recvCounts, u.recvDispls, u.next())
		case schedule.Scatter:
			err = comm.Scatterv(u.c, u.send, u.sendCounts, u.sendDispls, u.own(u.recv), u.next())
		case schedule.Allgather:
			err = comm.Allgatherv(u.c, u.own(u.send), u.recv, u.recvCounts, u.recvDispls)
		default:
			err = comm.Alltoallv(u.c, u.send, u.sendCounts, u.sendDispls, u.recv, u.recvCounts, u.recvDispls)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (u *unevenOp) start() (comm.Request, error) {
	switch u.kind {
	case schedule.Gather:
		return comm.Igatherv(u.c, u.own(u.send), u.recv, u.recvCounts, u.recvDispls, u.next())
	case schedule.Scatter:
		return comm.Iscatterv(u.c, u.send, u.sendCounts, u.sendDispls, u.own(u.recv), u.next())
	case schedule.Allgather:
		return comm.Iallgatherv(u.c, u.own(u.send), u.recv, u.recvCounts, u.recvDispls)
	}
	return comm.Ialltoallv(u.c, u.send, u.sendCounts, u.sendDispls, u.recv, u.recvCounts, u.recvDispls)
}

// Prepare fills the send buffers of all ranks: any may become the root.
func (u *unevenOp) Prepare(iteration uint64, _ bool) {
	me := u.c.Rank()
	u.last = u.root
	for rank := range u.c.Size() {
		from, to := u.stream(me, rank), u.stream(rank, me)
		if u.kind == schedule.Scatter {
			to = u.stream(u.root, rank)
		}
		from.Fill(u.send[u.sendDispls[rank]:][:u.sendCounts[rank]], iteration)
		to.Spoil(u.recv[u.recvDispls[rank]:][:u.recvCounts[rank]], iteration)
	}
	if u.kind == schedule.Gather || u.kind == schedule.Allgather {
		u.stream(me, 0).Fill(u.own(u.send), iteration)
	}
}

// stream returns the data of a block: one for each receiver where a rank sends several.
func (u *unevenOp) stream(from, to int) bench.Stream {
	if u.kind == schedule.Gather || u.kind == schedule.Allgather {
		to = 0
	}
	return bench.Stream{Rank: from, Slot: to}
}

func (u *unevenOp) Check(iteration uint64) *bench.DataError {
	me := u.c.Rank()
	switch {
	case u.kind == schedule.Scatter:
		return match(u.own(u.recv), u.stream(u.last, me), iteration)
	case u.kind == schedule.Gather && u.last != me:
		return nil
	}
	for rank := range u.c.Size() {
		if defect := match(u.recv[u.recvDispls[rank]:][:u.recvCounts[rank]], u.stream(rank, me), iteration); defect != nil {
			return defect
		}
	}
	return nil
}
