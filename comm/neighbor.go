package comm

import (
	"fmt"

	"gobench/comm/schedule"
)

// A Graph gives each rank of a communicator the neighbours of its neighbourhood operations: the
// sources, from which it receives, and the targets, to which it sends. Of several messages between
// two ranks the first sent is the first received. A Graph needs no Close.
type Graph struct {
	c                *Comm
	sources, targets neighbors
	own              [1]schedule.Block // what an allgather sends
}

// neighbors holds one direction of a Graph.
type neighbors struct {
	ranks     []int            // in the order of their messages, without ProcNull
	positions []int            // of their blocks
	blocks    []schedule.Block // of all positions
	moved     []schedule.Block // of ranks
}

// add adds the neighbour whose block has a position. ProcNull has a block, which is not moved.
func (n *neighbors) add(rank, position int) {
	n.blocks = append(n.blocks, schedule.Block{})
	if rank != ProcNull {
		n.ranks, n.positions, n.moved = append(n.ranks, rank), append(n.positions, position), append(n.moved, schedule.Block{})
	}
}

// NewGraph creates a graph from the neighbours of this rank, collectively, like
// MPI_Dist_graph_create_adjacent. A rank may be listed several times. NewGraph returns an
// *ArgumentError on a rank whose sources do not list a rank as often as the targets of that rank
// list this one.
func NewGraph(c *Comm, sources, targets []int) (*Graph, error) {
	if err := c.checkIntra(); err != nil {
		return nil, err
	}
	g, wrong := &Graph{c: c}, error(nil)
	in, out := make([]int64, len(c.world)), make([]int64, len(c.world))
	for _, side := range []struct {
		of      string
		list    []int
		n       *neighbors
		numbers []int64
	}{{"source", sources, &g.sources, in}, {"target", targets, &g.targets, out}} {
		for position, rank := range side.list {
			if rank != ProcNull && uint(rank) >= uint(len(c.world)) {
				wrong = &ArgumentError{"graph", fmt.Sprintf("%s %d", side.of, position), rank, c.ranks() + " or ProcNull"}
				continue
			}
			side.n.add(rank, position)
			if rank != ProcNull {
				side.numbers[rank]++
			}
		}
	}
	if wrong != nil {
		for rank := range out {
			out[rank] = -1 // fails on all ranks, so that none uses the graph
		}
	}
	sent := make([]int64, len(c.world))
	if err := Alltoall(c, out, sent); err != nil {
		return nil, err
	}
	if wrong != nil {
		return nil, wrong
	}
	for rank, n := range sent {
		if in[rank] != n {
			return nil, &ArgumentError{"graph", fmt.Sprintf("the number of times that rank %d is a source", rank), int(in[rank]), fmt.Sprintf("%d, as often as this rank is its target (below 0: that rank has a wrong list)", n)}
		}
	}
	return g, nil
}

// Graph returns the neighbours in the grid, the rank before this one and the rank behind it in each
// dimension. As MPI requires, what is sent to the rank before is what that rank receives from
// behind, also where both neighbours are one rank.
func (k *Cart) Graph() *Graph {
	g := &Graph{c: k.Comm}
	for dim := range k.dims {
		before, behind := k.neighbour(dim, -1), k.neighbour(dim, 1)
		g.targets.add(before, 2*dim)
		g.sources.add(behind, 2*dim+1)
		g.targets.add(behind, 2*dim+1)
		g.sources.add(before, 2*dim)
	}
	return g
}

// NeighborAllgather sends send to all targets and stores the block of source i as block i of recv.
// All sends have the same length.
func NeighborAllgather[T Type](g *Graph, send, recv []T) error {
	return g.c.do(neighborAllgather(g, send, recv))
}

// IneighborAllgather starts a NeighborAllgather.
func IneighborAllgather[T Type](g *Graph, send, recv []T) (Request, error) {
	return g.c.start(neighborAllgather(g, send, recv))
}

func neighborAllgather[T Type](g *Graph, send, recv []T) error {
	const kind = schedule.NeighborAllgather
	if err := checkLength(kind, "recv", len(recv), len(send)*len(g.sources.blocks), "the length of send for each source"); err != nil {
		return err
	}
	g.sources.equal(len(send) * size[T]())
	return g.begin(kind, size[T](), len(send)*size[T](), raw(send), raw(recv))
}

// NeighborAllgatherv is NeighborAllgather with counts[i] elements from source i, stored at
// displs[i] of recv. If displs is nil, the blocks are contiguous.
func NeighborAllgatherv[T Type](g *Graph, send, recv []T, counts, displs []int) error {
	return g.c.do(neighborAllgatherv(g, send, recv, counts, displs))
}

// IneighborAllgatherv starts a NeighborAllgatherv.
func IneighborAllgatherv[T Type](g *Graph, send, recv []T, counts, displs []int) (Request, error) {
	return g.c.start(neighborAllgatherv(g, send, recv, counts, displs))
}

func neighborAllgatherv[T Type](g *Graph, send, recv []T, counts, displs []int) error {
	const kind = schedule.NeighborAllgather
	if _, err := cut(kind, "source", g.sources.blocks, counts, displs, size[T](), len(recv)); err != nil {
		return err
	}
	return g.begin(kind, size[T](), 0, raw(send), raw(recv))
}

// NeighborAlltoall divides send into a block for each target and recv into one from each source, in
// their order. All blocks have the same length.
func NeighborAlltoall[T Type](g *Graph, send, recv []T) error {
	return g.c.do(neighborAlltoall(g, send, recv))
}

// IneighborAlltoall starts a NeighborAlltoall.
func IneighborAlltoall[T Type](g *Graph, send, recv []T) (Request, error) {
	return g.c.start(neighborAlltoall(g, send, recv))
}

func neighborAlltoall[T Type](g *Graph, send, recv []T) error {
	const kind = schedule.NeighborAlltoall
	in, out := len(g.sources.blocks), len(g.targets.blocks)
	block := len(recv) / max(1, in)
	if in == 0 {
		block = len(send) / max(1, out)
	}
	if err := checkLength(kind, "recv", len(recv), in*block, "a block for each source"); err != nil {
		return err
	}
	if err := checkLength(kind, "send", len(send), out*block, "a block for each target"); err != nil {
		return err
	}
	g.sources.equal(block * size[T]())
	g.targets.equal(block * size[T]())
	return g.begin(kind, size[T](), block*size[T](), raw(send), raw(recv))
}

// NeighborAlltoallv is NeighborAlltoall with sendCounts[i] elements for target i, from
// sendDispls[i] of send, and recvCounts[i] from source i, to recvDispls[i] of recv. If
// displacements are nil, the blocks are contiguous. With elements that are bytes it is
// MPI_Neighbor_alltoallw.
func NeighborAlltoallv[T Type](g *Graph, send []T, sendCounts, sendDispls []int, recv []T, recvCounts, recvDispls []int) error {
	return g.c.do(neighborAlltoallv(g, send, sendCounts, sendDispls, recv, recvCounts, recvDispls))
}

// IneighborAlltoallv starts a NeighborAlltoallv.
func IneighborAlltoallv[T Type](g *Graph, send []T, sendCounts, sendDispls []int, recv []T, recvCounts, recvDispls []int) (Request, error) {
	return g.c.start(neighborAlltoallv(g, send, sendCounts, sendDispls, recv, recvCounts, recvDispls))
}

func neighborAlltoallv[T Type](g *Graph, send []T, sendCounts, sendDispls []int, recv []T, recvCounts, recvDispls []int) error {
	const kind = schedule.NeighborAlltoall
	if _, err := cut(kind, "source", g.sources.blocks, recvCounts, recvDispls, size[T](), len(recv)); err != nil {
		return err
	}
	if _, err := cut(kind, "target", g.targets.blocks, sendCounts, sendDispls, size[T](), len(send)); err != nil {
		return err
	}
	return g.begin(kind, size[T](), 0, raw(send), raw(recv))
}

// equal gives all positions contiguous blocks of n bytes.
func (n *neighbors) equal(bytes int) {
	for i := range n.blocks {
		n.blocks[i] = schedule.Block{Off: i * bytes, Len: bytes}
	}
}

// inOrder returns the blocks of ranks.
func (n *neighbors) inOrder() []schedule.Block {
	for i, position := range n.positions {
		n.moved[i] = n.blocks[position]
	}
	return n.moved
}

// begin fills in the call for an operation on the blocks of the graph.
func (g *Graph) begin(kind schedule.Kind, elem, bytes int, send, recv []byte) error {
	c := g.c
	if err := c.checkOpen(); err != nil {
		return err
	}
	in, out := g.sources.inOrder(), g.own[:]
	g.own[0].Len = len(send)
	if kind == schedule.NeighborAlltoall {
		out = g.targets.inOrder()
	}
	k := 0
	for i, to := range g.targets.ranks { // what this rank sends to itself
		if to != c.rank {
			continue
		}
		for g.sources.ranks[k] != c.rank {
			k++
		}
		if sent := out[min(i, len(out)-1)].Len; sent != in[k].Len {
			return &ArgumentError{kind.String(), "what this rank sends to itself", sent / elem, "what it receives from itself"}
		}
		k++
	}
	c.begin(kind, elem, bytes, send, recv)
	c.shape.Sources, c.shape.Targets, c.shape.SendBlocks, c.shape.RecvBlocks = g.sources.ranks, g.targets.ranks, out, in
	return nil
}
