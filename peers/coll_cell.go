package main

import (
	"fmt"
	"slices"
)

// A cell is one collective operation at one size in bytes: of the whole vector (bcast, reduce,
// allreduce, reduce_scatter) or of one rank's block.
type cell struct {
	op   string
	size int
}

func (c cell) String() string { return fmt.Sprintf("%s %d", c.op, c.size) }

// collOps lists the operations in the order of the table. A barrier has no size.
var collOps = []string{
	"barrier", "bcast", "scatter", "gather", "allgather", "alltoall", "reduce", "allreduce", "reduce_scatter",
}

var collSizes = []int{8, 1 << 10, 64 << 10, 1 << 20}

// collCells returns the cells that are compared over every transport.
func collCells() []cell {
	var cells []cell
	for _, op := range collOps {
		if op == "barrier" {
			cells = append(cells, cell{op, 0})
			continue
		}
		for _, size := range collSizes {
			cells = append(cells, cell{op, size})
		}
	}
	return cells
}

// batch returns the number of operations that are timed together. It is the same for all programs,
// because operations back to back may overlap.
func (c cell) batch(group string) int {
	batches := []int{100, 100, 10, 3}
	if group == "tcp" {
		batches = []int{20, 20, 5, 2}
	}
	return batches[max(0, slices.Index(collSizes, c.size))]
}
