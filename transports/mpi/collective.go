//go:build mpi && cgo

package mpi

import (
	"slices"
	"strings"

	"gobench/device"
	"gobench/transports/mpi/library"
)

var _ device.Collector = (*mpi)(nil)

// elements and operators are in the order of library/abi/table.h.
var (
	elements  = []string{"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64", "complex64", "complex128"}
	operators = []string{"sum", "prod", "max", "min", "band", "bor", "bxor"}
)

// group implements device.Group: a communicator of MPI.
type group struct {
	d      *mpi
	number int

	// The element type and operator of the last reduction, so that names are looked up once.
	element, operator string
	reduction         library.Reduction
}

// Group makes a communicator of the ranks.
func (d *mpi) Group(context int32, ranks []int) (device.Group, error) {
	if err := d.checkSend(0, 0, context); err != nil {
		return nil, err
	}
	members, others := make([]int32, len(ranks)), len(ranks) < d.Size()
	for i, rank := range ranks {
		members[i], others = int32(rank), others || rank != i
	}
	if others && strings.Contains(d.job.Version, mpich40) {
		return nil, unavailable("MPI_Comm_create_group of MPICH 4.0 ends with a segmentation fault, but for all ranks in their order", "measure the algorithm mpi among those, or use a newer MPICH")
	}
	number, err := library.Group(context, members)
	if err != nil {
		return nil, err
	}
	return &group{d: d, number: number}, nil
}

// Do calls the blocking function of MPI, also with wait=yield: ranks that share a core then wait in
// the library until the system preempts them.
func (g *group) Do(c *device.Collective) error {
	if err := g.prepare(c); err != nil {
		return err
	}
	if e := library.Collect(g.number, c, g.reduction); e != 0 {
		return library.Check(functions[c.Operation], e)
	}
	return nil
}

// Start calls the non-blocking function of MPI.
func (g *group) Start(c *device.Collective) (device.Request, error) {
	if err := g.prepare(c); err != nil {
		return 0, err
	}
	q, err := g.d.begun(starts[c.Operation], library.StartCollect(g.number, c, g.reduction), c.Recv, collects)
	if err == nil {
		g.d.slots[int(uint32(q))].other = c.Send
	}
	return q, err
}

// functions and starts are the names of the blocking and non-blocking functions, for errors.
var (
	functions = [...]string{"MPI_Barrier", "MPI_Bcast", "MPI_Scatter", "MPI_Gather", "MPI_Allgather", "MPI_Alltoall",
		"MPI_Reduce", "MPI_Allreduce", "MPI_Reduce_scatter_block", "MPI_Scan", "MPI_Exscan"}
	starts = [...]string{"MPI_Ibarrier", "MPI_Ibcast", "MPI_Iscatter", "MPI_Igather", "MPI_Iallgather", "MPI_Ialltoall",
		"MPI_Ireduce", "MPI_Iallreduce", "MPI_Ireduce_scatter_block", "MPI_Iscan", "MPI_Iexscan"}
)

// prepare finds the type and operator of a reduction.
func (g *group) prepare(c *device.Collective) error {
	switch {
	case g.d.closed:
		return device.ErrClosed
	case c.Operation < device.Reduce || c.Operator == g.operator && c.Element == g.element:
		return nil
	}
	name := c.Element
	if name == "int" || name == "uint" { // of 64 bits on all machines with MPI that this runs on
		name += "64"
	}
	element, operator := slices.Index(elements, name), slices.Index(operators, c.Operator)
	if element < 0 || operator < 0 || operator > 1 && element >= len(elements)-2 || operator > 3 && element >= len(elements)-4 {
		return &device.ArgumentError{Name: "operator", Value: operator, Want: "an operator and a type that MPI has, not " + c.Operator + " of " + c.Element}
	}
	g.element, g.operator = c.Element, c.Operator
	g.reduction = library.Reduction{Element: element, Operator: operator}
	return nil
}

// Close frees the communicator.
func (g *group) Close() error {
	if g.d.closed {
		return nil // with MPI
	}
	return library.Ungroup(g.number)
}
