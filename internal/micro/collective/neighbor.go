package collective

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gobench/bench"
	"gobench/comm"
	"gobench/comm/schedule"
)

// A Topology gives the ranks of neighbourhood operations their neighbours, or divides the ranks
// into two groups.
type Topology struct {
	Name  string    // "cart:2"; of a graph: the file and a checksum
	dims  int       // of a periodic grid
	pairs []float64 // of a graph: a number above 0 for each rank to which rank 0 sends, rank 1, ...; else nil
}

// grid is the topology of benchmarks without one.
var grid = &Topology{Name: "cart:2", dims: 2}

// ParseTopology returns the periodic grid of cart:DIMENSIONS, or the graph of graph:FILE, a file
// that traffic.ReadMatrix reads, with a row and a column for each rank, or the two groups of inter.
// "" is cart:2.
func ParseTopology(name string, ranks int) (*Topology, error) {
	if name == "" || name == "cart" {
		return grid, nil
	}
	if name == inter.Name {
		return inter, nil
	}
	if file, found := strings.CutPrefix(name, "graph:"); found {
		d, err := readDistribution(file, ranks)
		if err != nil {
			return nil, err
		}
		return &Topology{Name: "graph:" + strings.TrimPrefix(d.Name, "matrix:"), pairs: d.pairs}, nil
	}
	number, found := strings.CutPrefix(name, "cart:")
	dims, err := strconv.Atoi(number)
	if !found || err != nil || dims < 1 || dims > 8 {
		return nil, fmt.Errorf("unknown topology %q; known: cart:N (a periodic grid of 1 to 8 dimensions), graph:FILE, inter", name)
	}
	return &Topology{Name: fmt.Sprint("cart:", dims), dims: dims}, nil
}

// degree returns the largest number of sources or targets of a rank.
func (t *Topology) degree(ranks int) (n int) {
	if t.pairs == nil {
		return 2 * t.dims
	}
	for rank := range ranks {
		n = max(n, len(t.sources(rank, ranks)), len(t.targets(rank, ranks)))
	}
	return n
}

// sources and targets return the neighbours of a rank in a graph.
func (t *Topology) sources(rank, ranks int) (list []int) {
	for from := range ranks {
		if t.pairs[from*ranks+rank] > 0 {
			list = append(list, from)
		}
	}
	return list
}

func (t *Topology) targets(rank, ranks int) (list []int) {
	for to := range ranks {
		if t.pairs[rank*ranks+to] > 0 {
			list = append(list, to)
		}
	}
	return list
}

// neighborOp is one rank's part of a neighbourhood operation.
type neighborOp struct {
	operation
	send, recv side
	sources    []int
	slots      []int // of the streams of the received blocks: their numbers at the sources
}

func newNeighbors(env *bench.Env, kind schedule.Kind, o Options) bench.Op {
	n := &neighborOp{operation: newOperation(env, kind, o)}
	g, targets, err := n.connect(o.topology())
	if err != nil {
		n.do = func(int) error { return err }
		n.start = func(int) (comm.Request, error) { return comm.Request{}, err }
		return n
	}
	d, whole := equal, schedule.Alltoall
	if o.Distribution != nil {
		d = o.Distribution
	}
	if kind == schedule.NeighborAllgather {
		targets, whole = []int{env.Rank()}, schedule.Allgather
	}
	sent, received := d.Counts(whole, env.Rank(), env.Bytes, env.Size())
	n.send, n.recv = newSide(env, pick(sent, targets), -1, 0), newSide(env, pick(received, n.sources), -1, 0)
	n.call(g, o.Distribution != nil)
	return n
}

// connect makes the graph of a topology, and returns the targets of this rank.
func (n *neighborOp) connect(t *Topology) (g *comm.Graph, targets []int, err error) {
	me, ranks := n.c.Rank(), n.c.Size()
	if t.pairs != nil {
		n.sources, targets = t.sources(me, ranks), t.targets(me, ranks)
		for _, from := range n.sources {
			n.slots = append(n.slots, slices.Index(t.targets(from, ranks), me))
		}
		g, err = comm.NewGraph(n.c, n.sources, targets)
		return g, targets, err
	}
	// Not a communicator of its own: a library has few contexts, and a case may have many copies.
	cart, err := comm.CartOf(n.c, make([]int, t.dims), slices.Repeat([]bool{true}, t.dims))
	if err != nil {
		return nil, nil, err
	}
	for dim := range t.dims {
		before, behind, err := cart.Shift(dim, 1)
		if err != nil {
			return nil, nil, err
		}
		n.sources, n.slots = append(n.sources, before, behind), append(n.slots, 2*dim+1, 2*dim)
	}
	return cart.Graph(), n.sources, nil
}

// pick returns the numbers of some ranks.
func pick(of, ranks []int) (list []int) {
	for _, rank := range ranks {
		list = append(list, of[rank])
	}
	return list
}

// call sets the calls of package comm, those of the vector forms for uneven blocks.
func (n *neighborOp) call(g *comm.Graph, uneven bool) {
	send, recv := n.send, n.recv
	switch {
	case uneven && n.kind == schedule.NeighborAllgather:
		n.do = func(int) error { return comm.NeighborAllgatherv(g, send.data, recv.data, recv.counts, recv.displs) }
		n.start = func(int) (comm.Request, error) {
			return comm.IneighborAllgatherv(g, send.data, recv.data, recv.counts, recv.displs)
		}
	case uneven:
		n.do = func(int) error {
			return comm.NeighborAlltoallv(g, send.data, send.counts, send.displs, recv.data, recv.counts, recv.displs)
		}
		n.start = func(int) (comm.Request, error) {
			return comm.IneighborAlltoallv(g, send.data, send.counts, send.displs, recv.data, recv.counts, recv.displs)
		}
	case n.kind == schedule.NeighborAllgather:
		n.do = func(int) error { return comm.NeighborAllgather(g, send.data, recv.data) }
		n.start = func(int) (comm.Request, error) { return comm.IneighborAllgather(g, send.data, recv.data) }
	default:
		n.do = func(int) error { return comm.NeighborAlltoall(g, send.data, recv.data) }
		n.start = func(int) (comm.Request, error) { return comm.IneighborAlltoall(g, send.data, recv.data) }
	}
}

// stream returns the data of the block that a rank sends to its target number i.
func (n *neighborOp) stream(rank, i int) bench.Stream {
	if n.kind == schedule.NeighborAllgather {
		i = 0
	}
	return bench.Stream{Rank: rank, Slot: i}
}

// Prepare implements bench.Checker.
func (n *neighborOp) Prepare(iteration uint64, _ bool) {
	for i, block := range n.send.blocks {
		n.stream(n.c.Rank(), i).Fill(block, iteration)
	}
	for i, block := range n.recv.blocks {
		n.stream(n.sources[i], n.slots[i]).Spoil(block, iteration)
	}
	n.prepared()
}

// Check implements bench.Checker.
func (n *neighborOp) Check(iteration uint64) *bench.DataError {
	for i, block := range n.recv.blocks {
		if defect := match(block, n.stream(n.sources[i], n.slots[i]), iteration); defect != nil {
			return defect
		}
	}
	return nil
}
