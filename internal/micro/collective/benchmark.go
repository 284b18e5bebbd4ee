package collective

import (
	"slices"

	"gobench/bench"
	"gobench/comm/schedule"
)

// forms holds what differs between the benchmarks of operations. volume is the ideal volume per
// link in sizes, nil = none, and bus its formula for readers.
var forms = [schedule.Kinds]struct {
	about, bus string
	volume     func(p float64) float64
	buffers    func(ranks int) int
	make       func(*bench.Env, schedule.Kind, Options) bench.Op
}{
	schedule.Barrier:   {"no rank leaves before all ranks have entered", "", nil, bench.Fixed(0), barrier},
	schedule.Bcast:     {"the root's vector to all ranks", "size", once, bench.Fixed(1), bcast},
	schedule.Scatter:   {"a block of the root's for each rank", "(p - 1) x size", others, block, newBlocks},
	schedule.Gather:    {"a block of each rank to the root", "(p - 1) x size", others, block, newBlocks},
	schedule.Allgather: {"a block of each rank to all ranks", "(p - 1) x size", others, block, newBlocks},
	schedule.Alltoall:  {"a block from each rank to each rank", "(p - 1) x size", others, each(2), newBlocks},
	schedule.Reduce:    {"the vectors of all combined, to the root", "size", once, bench.Fixed(2), reduction},
	schedule.Allreduce: {"the vectors of all combined, to all ranks", "2 (p - 1) / p x size", twice, bench.Fixed(2), reduction},
	schedule.ReduceScatter: {"the vectors of all combined, a part of the result to each rank",
		"(p - 1) / p x size", share, bench.Fixed(2), reduction},
	schedule.Scan:              {"to each rank the vectors of the ranks up to it, combined", "size", once, bench.Fixed(2), reduction},
	schedule.Exscan:            {"to each rank the vectors of the ranks before it, combined", "size", once, bench.Fixed(2), reduction},
	schedule.NeighborAllgather: {"a block of each rank to its neighbours in a grid or graph", "", nil, bench.Fixed(2), newNeighbors},
	schedule.NeighborAlltoall:  {"a block from each rank to each of its neighbours in a grid or graph", "", nil, bench.Fixed(2), newNeighbors},
}

// New returns the benchmark of an operation, with a distribution that of its vector form.
func New(kind schedule.Kind, o Options) bench.Benchmark {
	form := forms[kind]
	create := form.make
	if o.between() && kind != schedule.Barrier && kind != schedule.Allreduce {
		create = newInter
	}
	op := &bench.Collective{
		Rooted: kind.Rooted(), Chained: kind == schedule.Barrier && !o.Overlap, InPlace: o.InPlace,
	}
	b := bench.Benchmark{
		Name: kind.String(), About: form.about,
		Pattern: bench.Chain, Collective: op, Overlap: o.Overlap,
		Metric: "global_s", Scale: 1,
		Amount:  func(int, int) int { return 0 },
		Buffers: form.buffers,
		Timed:   func(int, int) bool { return true },
		New:     func(env *bench.Env) bench.Op { return create(env, kind, o) },
		Formula: "global = last exit - first entry over all ranks",
	}
	if o.Algorithm != nil {
		op.Algorithm, op.Shared, op.Hosts = o.Algorithm.String(), o.Algorithm.Shared(), o.Algorithm.Hosts
		op.Library = o.Algorithm.Library
	}
	if o.Overlap {
		b.Name = "i" + b.Name
		b.Formula += "; " + bench.OverlapFormula + ", of local times"
	}
	if o.Distribution != nil && slices.Contains([]schedule.Kind{schedule.Allgather, schedule.Alltoall, schedule.ReduceScatter}, kind) {
		// The volume of a scatter or gather depends on the block that the root keeps.
		op.Bus = func(ranks int) float64 {
			if kind == schedule.ReduceScatter {
				return o.Distribution.volume(kind, ranks) / float64(ranks) // size is all blocks
			}
			return o.Distribution.volume(kind, ranks)
		}
		b.Formula += "; busbw = most that a rank sends to others or receives from them / global"
	}
	switch {
	case o.Distribution != nil:
		op.Distribution = o.Distribution.Name
		b.About += ", of different lengths"
		if kind == schedule.ReduceScatter { // MPI has one name for both
			break
		}
		b.Name += "v"
		b.Buffers = each(2)
		if (kind == schedule.Alltoall || kind == schedule.NeighborAlltoall) && o.Distribution.pairs != nil {
			b.Buffers = bench.Fixed(o.Distribution.busiest)
		}
		b.Formula += "; size = mean of the blocks"
	case o.between():
		op.Topology = inter.Name
		b.About += ", between two groups: what a rank receives is from the other one"
		if kind == schedule.Bcast {
			b.Buffers = bench.Fixed(2)
		}
	case form.volume != nil:
		op.Bus = func(ranks int) float64 { return form.volume(float64(ranks)) }
		b.Formula += "; aggregate = size x p / global, busbw = " + form.bus + " / global"
	}
	if kind.Neighbors() { // each neighbour has a block
		op.Topology = o.topology().Name
		one := b.Buffers
		b.Buffers = func(ranks int) int { return o.topology().degree(ranks) * one(ranks) }
	}
	if kind.Reduces() {
		by := o.by()
		op.Unit = by.Elem
		b.Formula += " (" + by.String() + ")"
		if o.Reduction != "" {
			op.Datatype, op.Reduction = by.Type, by.Name
		}
	}
	return b
}

// Volumes per link of an ideal algorithm, in sizes of this package (source: nccl-tests,
// doc/PERFORMANCE.md), and numbers of buffers.
func once(float64) float64     { return 1 }
func others(p float64) float64 { return p - 1 }
func share(p float64) float64  { return (p - 1) / p }
func twice(p float64) float64  { return 2 * (p - 1) / p }
func each(n int) func(int) int { return func(ranks int) int { return n * ranks } }
func block(ranks int) int      { return ranks + 1 }
