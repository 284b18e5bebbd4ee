// Package dt is the benchmark DT (data traffic) of the NAS Parallel Benchmarks: large messages
// along the arcs of a graph, whose nodes are ranks (NPB 3.4-MPI, DT).
//
// Its bottleneck is the transfer of long messages: in the graphs BH (black hole) and WH (white
// hole) at the one node where they all end or begin, in SH (shuffle) between all.
//
// The implementation allocates its arrays before the timed region. Besides the official checksum,
// in which most differences are lost by rounding, it compares the sum of the bits of every message
// at the sender and at the receiver.
package dt

import (
	"fmt"

	"gobench/kernels/application"
	"gobench/kernels/npb"
)

// A traffic is DT with one of the graphs.
type traffic struct {
	name, title, about string
	graph              func(sources int) graph
	sums               map[npb.Class]float64 // official checksums
}

// Kernels describes DT with each of its graphs.
func Kernels() []*npb.Kernel {
	var list []*npb.Kernel
	for _, t := range traffics() {
		list = append(list, t.kernel())
	}
	return list
}

func traffics() []*traffic {
	return []*traffic{
		{"dt-bh", "DT_BH", "Data traffic, black hole: long messages from many ranks, combined four by four, end at one", blackHole,
			map[npb.Class]float64{npb.S: 30892725, npb.W: 4102461, npb.A: 17809491, npb.B: 4317114}},
		{"dt-sh", "DT_SH", "Data traffic, shuffle: long messages from layer to layer of a butterfly of ranks", shuffle,
			map[npb.Class]float64{npb.S: 58875767, npb.W: 186944764, npb.A: 610856482, npb.B: 1836863082}},
		{"dt-wh", "DT_WH", "Data traffic, white hole: long messages from one rank spread over many", whiteHole,
			map[npb.Class]float64{npb.S: 67349758, npb.W: 204280762, npb.A: 1289925229, npb.B: 7877279917}},
	}
}

// sizes holds the parameters of the official classes that have a checksum.
var sizes = map[npb.Class]size{
	npb.S: {1728, 128, 4},
	npb.W: {13824, 256, 8},
	npb.A: {110592, 512, 16},
	npb.B: {884736, 1024, 32},
}

func (t *traffic) kernel() *npb.Kernel {
	return &npb.Kernel{
		Name: t.name, About: t.about, Last: npb.B, RootTime: true,
		Problem: t.problem,
		Legal: func(class npb.Class, ranks int) error {
			if !class.Official() {
				return &npb.FactorError{Kernel: t.name, Class: class, Why: "its graphs have the sizes of the classes"}
			}
			if nodes := len(t.graph(sizes[class].sources).nodes); ranks < nodes {
				return &npb.RanksError{Kernel: t.name, Class: class, Ranks: ranks, Legal: fmt.Sprintf("%d or more", nodes), Near: []int{nodes}}
			}
			return nil
		},
		Memory: func(class npb.Class, _, _ int) (bytes int64) {
			for _, n := range t.graph(sizes[class].sources).nodes {
				bytes += 8 * int64(sizes[class].largest())
				if n.in != nil { // and the message that is received
					bytes += 8 * int64(sizes[class].largest())
				}
			}
			return bytes
		},
		New: func(r *application.Rank, class npb.Class) (npb.Instance, error) {
			return newInstance(r, t, class), nil
		},
	}
}

// problem describes a class.
func (t *traffic) problem(class npb.Class) npb.Problem {
	s := sizes[class]
	g := t.graph(s.sources)
	return npb.Problem{
		Title: "DT", Block: fmt.Sprintf("%s.%v", t.title, class),
		Header: " Number of processes: %10d\n",
		Size:   fmt.Sprint(s.mean()), Iterations: len(g.nodes),
		Operations: float64(s.mean()) * float64(g.arcs) / (1 << 20),
		Kind:       "bytes transmitted",
	}
}
