package schedule

// Buffer is one of the memories of a program.
type Buffer uint8

const (
	SendBuffer Buffer = iota // the caller's input; never written
	RecvBuffer               // the caller's output
	Scratch                  // the program's own
	notices                  // no memory: see Notice
	buffers    = iota
)

// Mem is a part of a buffer, in bytes.
type Mem struct {
	Buffer   Buffer
	Off, Len int
}

// Notice is the content of a message that says nothing but that it came: of barriers.
var Notice = Mem{Buffer: notices}

// travels reports whether m is sent in a message.
func (m Mem) travels() bool { return m.Len > 0 || m == Notice }

// At is the part of m from off, n bytes long.
func (m Mem) At(off, n int) Mem { return Mem{m.Buffer, m.Off + off, n} }

// Code says what an instruction does.
type Code uint8

const (
	Send    Code = iota // A to Peer, and wait
	Recv                // A from Peer, and wait
	Isend               // start, as request Slot
	Irecv               // start, as request Slot
	Wait                // for request Slot
	Copy                // A = B
	Combine             // A = B op C; A may be B or C
)

// Instr is one instruction of a program.
type Instr struct {
	Code    Code
	Peer    int32 // rank in the communicator
	Slot    int32
	A, B, C Mem
}

// Program is what one rank does in one collective operation. It is read-only
// once built.
type Program struct {
	Instrs  []Instr
	Slots   int // requests that may be under way at a time
	Scratch int // bytes

	starts []int32 // by slot, the instruction that starts it
}

// Starter returns the instruction that starts a request.
func (p *Program) Starter(slot int32) Instr { return p.Instrs[p.starts[slot]] }
