package collective

import (
	"gobench/bench"
	"gobench/comm"
	"gobench/comm/schedule"
)

// reduction returns one rank's part of a reduction.
func reduction(env *bench.Env, kind schedule.Kind, o Options) bench.Op {
	return elements[o.by().Type].reduction(env, kind, o)
}

func (element[T]) reduction(env *bench.Env, kind schedule.Kind, o Options) bench.Op {
	first, operands := 0, env.Size()
	if o.between() {
		first, operands = remote(env)
	}
	switch kind {
	case schedule.Scan:
		operands = env.Rank() + 1
	case schedule.Exscan: // rank 0 has no result
		operands = env.Rank()
	}
	v := newVectors[T](env, kind, o, first, operands)
	c, send, recv, by := v.c, v.send, v.recv, v.by
	switch kind {
	case schedule.Reduce:
		v.do = func(root int) error { return comm.Reduce(c, given(&v.operation, send, root), recv, by, root) }
		v.start = func(root int) (comm.Request, error) {
			return comm.Ireduce(c, given(&v.operation, send, root), recv, by, root)
		}
	case schedule.Allreduce:
		v.do = func(root int) error { return comm.Allreduce(c, given(&v.operation, send, root), recv, by) }
		v.start = func(root int) (comm.Request, error) {
			return comm.Iallreduce(c, given(&v.operation, send, root), recv, by)
		}
	case schedule.ReduceScatter:
		v.scattered(o.Distribution)
	case schedule.Scan:
		v.do = func(root int) error { return comm.Scan(c, given(&v.operation, send, root), recv, by) }
		v.start = func(root int) (comm.Request, error) {
			return comm.Iscan(c, given(&v.operation, send, root), recv, by)
		}
	default:
		v.do = func(root int) error { return comm.Exscan(c, given(&v.operation, send, root), recv, by) }
		v.start = func(root int) (comm.Request, error) {
			return comm.Iexscan(c, given(&v.operation, send, root), recv, by)
		}
	}
	return v
}

// scattered sets the calls of reduce_scatter.
func (v *vectors[T]) scattered(d *Distribution) {
	n, ranks, me := len(v.send), v.c.Size(), v.c.Rank()
	counts := parts(n, ranks, d)
	displs, _ := offsets(counts)
	v.from, v.output = displs[me], v.recv[:counts[me]]
	c, send, recv, by := v.c, v.send, v.output, v.by
	if v.inPlace {
		send, recv = nil, v.recv
	}
	if d == nil && n%ranks == 0 {
		v.do = func(int) error { return comm.ReduceScatterBlock(c, send, recv, by) }
		v.start = func(int) (comm.Request, error) { return comm.IreduceScatterBlock(c, send, recv, by) }
		return
	}
	v.do = func(int) error { return comm.ReduceScatter(c, send, recv, counts, by) }
	v.start = func(int) (comm.Request, error) { return comm.IreduceScatter(c, send, recv, counts, by) }
}

// parts divides the elements of a reduce_scatter: by a distribution, or so that parts differ by at
// most one element.
func parts(elements, ranks int, d *Distribution) []int {
	if d != nil {
		return d.lengths(schedule.ReduceScatter, ranks, elements)
	}
	counts := make([]int, ranks)
	for rank := range counts {
		counts[rank] = (rank+1)*elements/ranks - rank*elements/ranks
	}
	return counts
}

// Block converts the size of a benchmark to the size by which an algorithm is chosen
// (schedule.Shape.Bytes): for reduce_scatter the size of one rank's block.
func Block(kind schedule.Kind, size, ranks int) int {
	if kind == schedule.ReduceScatter {
		return size / ranks
	}
	return size
}

// Blocks returns the blocks of a reduction on elements of elem bytes (schedule.Shape.SendBlocks),
// nil if they are equal.
func Blocks(kind schedule.Kind, size, ranks, elem int, d *Distribution) (blocks []schedule.Block) {
	elements := size / elem
	if kind != schedule.ReduceScatter || d == nil && elements%ranks == 0 {
		return nil
	}
	off := 0
	for _, n := range parts(elements, ranks, d) {
		blocks = append(blocks, schedule.Block{Off: off, Len: n * elem})
		off += n * elem
	}
	return blocks
}
