package schedule

// A Buffer is one of the memory areas of a program.
type Buffer uint8

const (
	SendBuffer Buffer = iota // the caller's input; never written
	RecvBuffer               // the caller's output
	Scratch                  // the program's own
	empty                    // no memory: see Empty
	buffers    = iota
)

// A Mem is a part of a buffer, in bytes.
type Mem struct {
	Buffer   Buffer
	Off, Len int
}

// Empty is the content of a message without data, as in barriers.
var Empty = Mem{Buffer: empty}

// travels reports whether a message is sent for m.
func (m Mem) travels() bool { return m.Len > 0 || m == Empty }

// At returns the n bytes of m from off on.
func (m Mem) At(off, n int) Mem { return Mem{m.Buffer, m.Off + off, n} }

// A Code is the operation of an instruction.
type Code uint8

const (
	Send    Code = iota // send A to Peer and wait
	Recv                // receive A from Peer and wait
	Isend               // start to send A to Peer as request Slot
	Irecv               // start to receive A from Peer as request Slot
	Wait                // wait for request Slot
	Copy                // A = B
	Combine             // A = B op C; A may be B or C
)

// An Instr is one instruction of a program.
type Instr struct {
	Code    Code
	Peer    int32 // rank in the communicator
	Slot    int32
	A, B, C Mem
}

// A Program lists the instructions of one rank in one collective operation. It is read-only
// once built.
type Program struct {
	Instrs  []Instr
	Slots   int // requests in all; each has its own slot
	Scratch int // bytes

	starts []int32 // by slot, the instruction that starts it
}

// Starter returns the instruction that starts the request of a slot.
func (p *Program) Starter(slot int32) Instr { return p.Instrs[p.starts[slot]] }

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
