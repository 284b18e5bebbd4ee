package sim

import (
	"gobench/comm/op"
	"gobench/comm/schedule"
)

// Affine returns an operator that is associative and does not commute: an element is
// the map x -> a x + b modulo 2^32, a in the upper half, and combining is composition.
// A wrong order, or a vector left out or combined twice, changes the result.
func Affine() *op.Op {
	return op.New("affine", false, func(f, g uint64) uint64 {
		a, b := uint32(f>>32), uint32(f)
		c, d := uint32(g>>32), uint32(g)
		return uint64(a*c)<<32 | uint64(a*d+b)
	})
}

// Expected returns the correct content of the Recv buffer of every rank. send holds the inputs of
// all ranks as they would be in Send without in-place arguments. before holds the Recv buffers
// before the operation, for bytes that must not be written. Ranks where Recv is not significant
// have a buffer of length 0.
func Expected(shapes []schedule.Shape, send, before [][]byte, o *op.Op) [][]byte {
	result := make([][]byte, len(shapes))
	for me := range shapes {
		s := &shapes[me]
		out := append([]byte{}, before[me]...)
		result[me] = out
		switch s.Kind {
		case schedule.Bcast:
			copy(out, send[s.Root])
		case schedule.Scatter:
			copy(out, slice(send[s.Root], shapes[s.Root].SendBlocks, me, s.Bytes))
		case schedule.Gather, schedule.Allgather:
			if s.Kind == schedule.Gather && me != s.Root {
				break
			}
			for peer := range shapes {
				copy(slice(out, s.RecvBlocks, peer, s.Bytes), send[peer])
			}
		case schedule.Alltoall:
			for peer := range shapes {
				copy(slice(out, s.RecvBlocks, peer, s.Bytes), slice(send[peer], shapes[peer].SendBlocks, me, s.Bytes))
			}
		case schedule.NeighborAllgather, schedule.NeighborAlltoall:
			for i, from := range s.Sources {
				copy(slice(out, s.RecvBlocks, i, s.Bytes), fromNeighbor(shapes, send, from, me, occurrences(s.Sources[:i], from)))
			}
		case schedule.Reduce:
			if me == s.Root {
				copy(out, fold(send, o))
			}
		case schedule.Allreduce:
			copy(out, fold(send, o))
		case schedule.ReduceScatter:
			off := 0
			for peer := range me {
				off += s.Len(peer)
			}
			copy(out, fold(send, o)[off:off+s.Len(me)])
		case schedule.Scan:
			copy(out, fold(send[:me+1], o))
		case schedule.Exscan:
			if me > 0 {
				copy(out, fold(send[:me], o))
			}
		}
	}
	return result
}

// fromNeighbor returns the k-th of the blocks that a rank sends to another.
func fromNeighbor(shapes []schedule.Shape, send [][]byte, from, to, k int) []byte {
	s := &shapes[from]
	for i, target := range s.Targets {
		if target != to || occurrences(s.Targets[:i], to) != k {
			continue
		}
		if s.Kind == schedule.NeighborAllgather {
			i = 0
		}
		return slice(send[from], s.SendBlocks, i, s.Bytes)
	}
	return nil
}

func occurrences(list []int, x int) (n int) {
	for _, y := range list {
		if y == x {
			n++
		}
	}
	return n
}

// slice is a rank's block.
func slice(b []byte, blocks []schedule.Block, rank, bytes int) []byte {
	if blocks != nil {
		return b[blocks[rank].Off : blocks[rank].Off+blocks[rank].Len]
	}
	return b[rank*bytes : (rank+1)*bytes]
}

// fold combines vectors in the order of ranks.
func fold(vectors [][]byte, o *op.Op) []byte {
	sum := append([]byte{}, vectors[0]...)
	for _, v := range vectors[1:] {
		o.Combine(sum, sum, v)
	}
	return sum
}
