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
	"gobench/kernels/npb/random"
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

// A graph is a directed graph of nodes in topological order. Node q runs on rank q.
type graph struct {
	nodes []node
	arcs  int
}

// A node has arcs from others and to others, in the order in which they are used. A node without
// arcs from others is a source, and one without arcs to others a sink.
type node struct{ in, out []arc }

// An arc describes an arc at one of its nodes: its number, and the node at the other end.
type arc struct{ number, node int }

// layers returns the graph with a tree of the given number of leaves: nodes 0 to leaves-1 are the
// leaves, and up to fan nodes of a layer have a node in the next one, the last of which is one
// node.
func layers(leaves int) (g graph) {
	const fan = 4
	g.nodes = make([]node, leaves)
	first, count := 0, leaves
	for count > fan {
		next := (count + fan - 1) / fan
		for i := range next {
			g.join(first+i*fan, first+min((i+1)*fan, count))
		}
		first, count = first+count, next
	}
	g.join(first, first+count)
	return g
}

// join adds a node with arcs from nodes first to before end.
func (g *graph) join(first, end int) {
	g.nodes = append(g.nodes, node{})
	for from := first; from < end; from++ {
		g.connect(from, len(g.nodes)-1)
	}
}

// connect adds an arc.
func (g *graph) connect(from, to int) {
	g.nodes[from].out = append(g.nodes[from].out, arc{g.arcs, to})
	g.nodes[to].in = append(g.nodes[to].in, arc{g.arcs, from})
	g.arcs++
}

// blackHole returns the graph BH: sources, comparators of four arcs each, and one sink.
func blackHole(sources int) graph { return layers(sources) }

// whiteHole returns the graph WH, which is BH with all arcs turned and the nodes in reverse order.
// Arcs keep their numbers.
func whiteHole(sinks int) graph {
	bh := layers(sinks)
	g := graph{arcs: bh.arcs}
	last := len(bh.nodes) - 1
	turn := func(list []arc) (turned []arc) {
		for _, a := range list {
			turned = append(turned, arc{a.number, last - a.node})
		}
		return turned
	}
	for i := range bh.nodes {
		n := bh.nodes[last-i]
		g.nodes = append(g.nodes, node{in: turn(n.out), out: turn(n.in)})
	}
	return g
}

// shuffle returns the graph SH: layers of as many nodes as sources, with the arcs of a butterfly.
func shuffle(sources int) graph {
	g := graph{nodes: make([]node, sources)}
	for mask := 1; mask < sources; mask *= 2 {
		before := len(g.nodes) - sources
		for i := range sources {
			g.nodes = append(g.nodes, node{})
			g.connect(before+i&^mask, len(g.nodes)-1)
			g.connect(before+i&^mask+mask, len(g.nodes)-1)
		}
	}
	return g
}

// fields is the number of values of a sample.
const fields = 4

// A size holds the parameters of a class: the mean number of samples of a source, their deviation,
// and the number of sources (in WH: sinks).
type size struct{ samples, deviation, sources int }

// most returns the greatest number of values that a source makes.
func (s size) largest() int { return fields * (s.samples + s.deviation) }

// mean returns the mean number of values.
func (s size) mean() int { return fields * s.samples }

// samplesOf returns the number of samples of a source: the mean plus or minus the deviation, by the
// generator of the benchmarks ("GetFeatureNum").
func (s size) samplesOf(id int) int {
	r := float64(random.Seed*(2*id+1)) / (1 << 46)
	rest := powerMod(int32(1/r)*'S', 2*id+1, int32(2*s.deviation))
	return s.samples - s.deviation + int(max(rest, -rest))
}

// powerMod returns a^n modulo md with the products of the official program, which overflow.
func powerMod(a int32, n int, md int32) int32 {
	if n == 0 {
		return 1
	}
	r := int32(1)
	for n > 1 {
		if n%2 == 0 {
			a = a * a % md
			n /= 2
		} else {
			r = r * a % md
			n--
		}
	}
	return r * a % md
}

// generate puts the features of a source into f: four geometric sequences ("RandomFeatures").
func generate(f []float64, id int) {
	n := len(f) * (id + 1) % 3141592
	x, y, z, v := powerMod(2, n, 421), powerMod(2, n, 419), powerMod(2, n, 1427), powerMod(5, n, 3527)
	for ; len(f) >= fields; f = f[fields:] {
		x, y, z, v = x*2%421, y*2%419, z*2%1427, v*5%3527
		f[0], f[1], f[2], f[3] = float64(x), float64(y), float64(z), float64(v)
	}
}

// resample stretches the first n values of a to n2 in place; each is shared by two places
// ("Resample" for lengths whose quotient is below 2).
func resample(a []float64, n, n2 int) {
	last := a[n-1]
	for j := 1; j <= n-3; j++ {
		a[j] = a[j]/2 + a[j+1]/2
	}
	a[n-2] /= 2
	clear(a[n-1 : n2])
	a[n2-1] = last
}

// filter replaces each sample of acc by a weighted sample of b ("WindowFilter"): of the same place
// or one of the two adjacent places, the one where the samples of acc and b are closest. Both have
// the same length.
func filter(acc, b []float64, weight float64) {
	b = b[:len(acc)]
	for i := fields; i+2*fields <= len(acc); i += fields {
		here, best := 0, distance(acc[i:], b[i:])
		if d := distance(acc[i+fields:], b[i+fields:]); d < best {
			here, best = fields, d
		}
		if distance(acc[i-fields:], b[i-fields:]) < best {
			here = -fields
		}
		to, from := acc[i:i+fields], b[i+here:i+here+fields]
		to[0], to[1], to[2], to[3] = weight*from[0], weight*from[1], weight*from[2], weight*from[3]
	}
}

// distance returns the square of the distance of two samples.
func distance(a, b []float64) float64 {
	a, b = a[:fields], b[:fields]
	d0, d1, d2, d3 := a[0]-b[0], a[1]-b[1], a[2]-b[2], a[3]-b[3]
	return d0*d0 + d1*d1 + d2*d2 + d3*d3
}

// truncate replaces each value by the integer quotient of its integer part and by.
func truncate(a []float64, by int) {
	for i, v := range a {
		a[i] = float64(int64(v) / int64(by))
	}
}

// meanSquare returns the mean of the squares ("CheckVal").
func meanSquare(a []float64) (sum float64) {
	n := float64(len(a))
	for _, v := range a {
		sum += v * v / n
	}
	return sum
}
