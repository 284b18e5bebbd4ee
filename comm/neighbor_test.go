package comm_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"gobench/comm"
)

// neighborhoods are the neighbourhood operations on one type, blocking or not.
type neighborhoods struct {
	allgather  func(g *comm.Graph, send, recv []int64) error
	allgatherv func(g *comm.Graph, send, recv []int64, counts, displs []int) error
	alltoall   func(g *comm.Graph, send, recv []int64) error
	alltoallv  func(g *comm.Graph, send []int64, sendCounts, sendDispls []int, recv []int64, recvCounts, recvDispls []int) error
}

var neighborForms = []neighborhoods{
	{comm.NeighborAllgather[int64], comm.NeighborAllgatherv[int64], comm.NeighborAlltoall[int64], comm.NeighborAlltoallv[int64]},
	{
		func(g *comm.Graph, send, recv []int64) error { return waited(comm.IneighborAllgather(g, send, recv)) },
		func(g *comm.Graph, send, recv []int64, counts, displs []int) error {
			return waited(comm.IneighborAllgatherv(g, send, recv, counts, displs))
		},
		func(g *comm.Graph, send, recv []int64) error { return waited(comm.IneighborAlltoall(g, send, recv)) },
		func(g *comm.Graph, send []int64, sendCounts, sendDispls []int, recv []int64, recvCounts, recvDispls []int) error {
			return waited(comm.IneighborAlltoallv(g, send, sendCounts, sendDispls, recv, recvCounts, recvDispls))
		},
	},
}

// neighborly tests all forms over a graph. The block that a rank receives from its source number i
// is the block number from(i) of that source; none means that it has no such neighbour.
func neighborly(rank int, g *comm.Graph, sources, targets []int, from func(i int) int) error {
	data := func(rank, block, n int) []int64 {
		v := make([]int64, n)
		for i := range v {
			v[i] = int64(rank*10_000 + block*1000 + i)
		}
		return v
	}
	length := func(rank, block int) int { return 3 + (rank+2*block)%5 }
	for _, f := range neighborForms {
		for _, uneven := range []bool{false, true} {
			for _, each := range []bool{false, true} { // alltoall
				var send, recv, want []int64
				var out, in []int
				size := func(rank, block int) int {
					if !uneven {
						return 4
					}
					return length(rank, block)
				}
				for block := range targets {
					if each || block == 0 {
						out = append(out, size(rank, block))
						send = append(send, data(rank, block, size(rank, block))...)
					}
				}
				if !each && len(targets) == 0 {
					send = data(rank, 0, size(rank, 0))
				}
				for i, source := range sources {
					block := 0
					if each {
						block = from(i)
					}
					n := size(max(source, 0), block)
					in = append(in, n)
					if source == comm.ProcNull {
						want = append(want, make([]int64, n)...)
					} else {
						want = append(want, data(source, block, n)...)
					}
				}
				recv = make([]int64, len(want))
				var err error
				switch {
				case each && uneven:
					err = f.alltoallv(g, send, out, nil, recv, in, nil)
				case each:
					err = f.alltoall(g, send, recv)
				case uneven:
					err = f.allgatherv(g, send, recv, in, nil)
				default:
					err = f.allgather(g, send, recv)
				}
				if err != nil {
					return err
				}
				if err := must(slices.Equal(recv, want), "rank %d, uneven %t, alltoall %t: %v, want %v", rank, uneven, each, recv, want); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// In grids with and without borders, of one and two ranks in a dimension, too, the rank before gets
// from behind what is sent to it.
func TestNeighborsInGrids(t *testing.T) {
	everywhere(t, func(w *comm.Comm) error {
		for _, periodic := range []bool{false, true} {
			for parts := 1; parts <= 3; parts++ {
				dims, err := comm.DimsCreate(w.Size(), make([]int, parts))
				if err != nil {
					return err
				}
				grid, err := comm.NewCart(w, dims, slices.Repeat([]bool{periodic}, parts), false)
				if err != nil {
					return err
				}
				var list []int
				for dim := range dims {
					before, behind, err := grid.Shift(dim, 1)
					if err != nil {
						return err
					}
					list = append(list, before, behind)
				}
				if err := neighborly(w.Rank(), grid.Graph(), list, list, func(i int) int { return i ^ 1 }); err != nil {
					return err
				}
				if err := grid.Close(); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// The same in random graphs, with ranks that are their own neighbours and with neighbours several
// times.
func TestNeighborsInGraphs(t *testing.T) {
	everywhere(t, func(w *comm.Comm) error {
		for seed := range uint64(5) {
			random := rand.New(rand.NewPCG(seed, uint64(w.Size())))
			sources, targets, numbers := make([][]int, w.Size()), make([][]int, w.Size()), make([][]int, w.Size())
			for from := range targets {
				for range random.IntN(5) {
					to := random.IntN(w.Size())
					sources[to], numbers[to] = append(sources[to], from), append(numbers[to], len(targets[from]))
					targets[from] = append(targets[from], to)
				}
			}
			me := w.Rank()
			g, err := comm.NewGraph(w, sources[me], targets[me])
			if err != nil {
				return err
			}
			if err := neighborly(me, g, sources[me], targets[me], func(i int) int { return numbers[me][i] }); err != nil {
				return err
			}
		}
		return nil
	})
}

// Neighbours that do not agree are an error on the rank whose sources differ, and so are blocks
// that do not fit.
func TestNeighborsThatDoNotFit(t *testing.T) {
	ranks(t, "memwire", 2, func(w *comm.Comm) error {
		var wrong *comm.ArgumentError
		targets := [][]int{{1, 1}, {0}}[w.Rank()]
		_, err := comm.NewGraph(w, []int{1 - w.Rank()}, targets)
		if err := must(errors.As(err, &wrong) == (w.Rank() == 1), "a source that is listed once: %v", err); err != nil {
			return err
		}
		g, err := comm.NewGraph(w, []int{0, 1}, []int{0, 1})
		if err != nil {
			return err
		}
		for _, err := range []error{
			comm.NeighborAllgather(g, make([]int64, 2), make([]int64, 3)),
			comm.NeighborAlltoall(g, make([]int64, 4), make([]int64, 3)),
			comm.NeighborAlltoall(g, make([]int64, 3), make([]int64, 4)),
			comm.NeighborAllgatherv(g, make([]int64, 2), make([]int64, 9), []int{2}, nil),
			comm.NeighborAllgatherv(g, make([]int64, 2), make([]int64, 9), []int{3, 3}, nil),
			comm.NeighborAlltoallv(g, make([]int64, 9), []int{1, 2}, nil, make([]int64, 9), []int{2, 1}, nil),
		} {
			if err := must(errors.As(err, &wrong), "got %v", err); err != nil {
				return err
			}
		}
		return nil
	})
}
