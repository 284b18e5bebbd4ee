package schedule

// A Kind is a collective operation. MPI's vector forms (Scatterv, ...) are the same operations with
// unequal blocks.
type Kind uint8

const (
	Barrier Kind = iota
	Bcast
	Scatter
	Gather
	Allgather
	Alltoall
	Reduce
	Allreduce
	ReduceScatter
	Scan
	Exscan
	NeighborAllgather
	NeighborAlltoall
	Kinds int = iota // the number of kinds
)

var kindNames = [Kinds]string{
	"barrier", "bcast", "scatter", "gather", "allgather", "alltoall",
	"reduce", "allreduce", "reduce_scatter", "scan", "exscan", "neighbor_allgather", "neighbor_alltoall",
}

func (k Kind) String() string { return kindNames[k] }

// ParseKind finds a kind by the name that String returns.
func ParseKind(name string) (Kind, bool) {
	for i, n := range kindNames {
		if n == name {
			return Kind(i), true
		}
	}
	return 0, false
}

// KindNames returns the names of all kinds in their order.
func KindNames() []string { return kindNames[:] }

// Rooted reports whether the operation has a root.
func (k Kind) Rooted() bool { return k == Bcast || k == Scatter || k == Gather || k == Reduce }

// Reduces reports whether the operation takes a reduction operator.
func (k Kind) Reduces() bool { return k >= Reduce && k <= Exscan }

// Neighbors reports whether ranks exchange blocks with their neighbours in a graph only.
func (k Kind) Neighbors() bool { return k >= NeighborAllgather }

// Blocked reports whether the buffers are divided into a block for each rank.
func (k Kind) Blocked() bool {
	return k >= Scatter && k <= Alltoall || k == ReduceScatter
}
