package collective

import (
	"gobench/bench"
	"gobench/comm/schedule"
)

// benchmark returns the benchmark of an operation. volume is the ideal volume per link in sizes,
// and bus its formula for readers.
func benchmark(kind schedule.Kind, o Options, about, bus string, volume func(p float64) float64, buffers func(ranks int) int, make func(*bench.Env) bench.Op) bench.Benchmark {
	op := &bench.Collective{
		Rooted: kind.Rooted(), Chained: kind == schedule.Barrier && !o.Overlap, InPlace: o.InPlace,
	}
	b := bench.Benchmark{
		Name: kind.String(), About: about,
		Pattern: bench.Chain, Collective: op, Overlap: o.Overlap,
		Metric: "global_s", Scale: 1,
		Amount:  func(int, int) int { return 0 },
		Buffers: buffers,
		Timed:   func(int, int) bool { return true },
		New:     make,
		Formula: "global = last exit - first entry over all ranks",
	}
	if o.Algorithm != nil {
		op.Algorithm, op.Shared, op.Hosts = o.Algorithm.String(), o.Algorithm.Share != nil, o.Algorithm.Hosts
		op.Library = o.Algorithm.Library
	}
	if o.Overlap {
		b.Name = "i" + b.Name
		b.New = func(env *bench.Env) bench.Op { return unblocked(make(env)) }
		b.Formula += "; " + bench.OverlapFormula + ", of local times"
	}
	if o.Distribution != nil {
		op.Distribution = o.Distribution.Name
	}
	if volume != nil {
		op.Bus = func(ranks int) float64 { return volume(float64(ranks)) }
		b.Formula += "; aggregate = size x p / global, busbw = " + bus + " / global"
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
