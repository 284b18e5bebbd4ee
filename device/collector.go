package device

// A Collector is a Device over a library that has collective operations of its own, such as MPI.
type Collector interface {
	Device
	// Group creates a group of ranks, collectively over them. The messages that create it use
	// context, which the group owns from then on.
	Group(context int32, ranks []int) (Group, error)
}

// A Group runs the collective operations of a library among its ranks, numbered from 0 in the order
// of Collector.Group. All of them call the same operations in the same order. A Group belongs to
// the goroutine that owns the device and is invalid once the device is closed.
type Group interface {
	// Do runs an operation and returns when this rank's part of it is complete. It blocks in the
	// library.
	Do(c *Collective) error
	// Start starts an operation and returns its request, for Wait and Test of the device. It cannot
	// be cancelled. The buffers belong to it until it is complete.
	Start(c *Collective) (Request, error)
	// Close frees the group, collectively, with no operation in progress.
	Close() error
}

// A Collective holds the arguments of a collective operation on one rank. Buffers are as in MPI:
// a buffer without significance on a rank is nil.
type Collective struct {
	Operation  CollectiveOperation
	Send, Recv []byte // a broadcast has its vector in Recv
	Bytes      int    // of the vector, or of one block: all blocks are equal and side by side
	Root       int    // in the group
	InPlace    bool   // MPI_IN_PLACE takes the place of Send, or of Recv in a scatter

	// Operator and Element are set for reductions: "sum", "prod", "max", "min", "band", "bor" or
	// "bxor", and the Go type of an element. Any other value is an *ArgumentError.
	Operator, Element string
}

// CollectiveOperation is a collective operation of MPI.
type CollectiveOperation uint8

const (
	Barrier CollectiveOperation = iota
	Bcast
	Scatter
	Gather
	Allgather
	Alltoall
	Reduce
	Allreduce
	ReduceScatter // MPI_Reduce_scatter_block
	Scan
	Exscan
)
