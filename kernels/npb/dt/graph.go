package dt

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
