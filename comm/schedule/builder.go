package schedule

import "slices"

// A Builder emits the program of one rank. Algorithms read the Shape and call the
// methods in the order in which they would call a message passing library.
//
// Messages between two ranks match in the order in which they are sent, so both
// programs must list them in the same order. A program must not rely on buffered
// sends: a Send may wait until its receive is posted.
type Builder struct {
	Shape
	program *Program

	// For Within: the program's ranks by rank of the nested operation, and the memory that replaces
	// the caller's buffers. ranks is nil outside of Within.
	ranks      []int
	send, recv Mem
}

// A Slot identifies a request of a program.
type Slot int32

// Build runs an algorithm for a shape and returns the program that it emits.
func Build(s Shape, algorithm func(*Builder)) *Program {
	b := Builder{Shape: s, program: &Program{}}
	algorithm(&b)
	return b.program
}

// Within emits a nested operation among some of the ranks, which include this rank: an algorithm
// for the shape s, with Ranks and Rank set from ranks. send and recv replace the caller's buffers.
// Its messages follow those emitted before.
func (b *Builder) Within(s Shape, ranks []int, send, recv Mem, algorithm func(*Builder)) {
	s.Ranks, s.Rank = len(ranks), slices.Index(ranks, b.Rank)
	in := &Builder{Shape: s, program: b.program, ranks: make([]int, len(ranks)), send: b.mem(send), recv: b.mem(recv)}
	for i, rank := range ranks {
		in.ranks[i] = b.peer(rank)
	}
	algorithm(in)
}

// mem returns the program's memory for that of this operation.
func (b *Builder) mem(m Mem) Mem {
	switch {
	case b.ranks == nil:
	case m.Buffer == SendBuffer:
		return b.send.At(m.Off, m.Len)
	case m.Buffer == RecvBuffer:
		return b.recv.At(m.Off, m.Len)
	}
	return m
}

// peer returns the program's number of a rank of this operation.
func (b *Builder) peer(rank int) int {
	if b.ranks == nil {
		return rank
	}
	return b.ranks[rank]
}

func (b *Builder) emit(i Instr) { b.program.Instrs = append(b.program.Instrs, i) }

// Send sends m and waits until it may be reused. Memory of length 0 is not sent, because both sides
// know the length; Empty is sent as a message without data.
func (b *Builder) Send(m Mem, to int) {
	if m.travels() {
		b.emit(Instr{Code: Send, Peer: int32(b.peer(to)), A: b.mem(m)})
	}
}

// Recv receives exactly m.Len bytes.
func (b *Builder) Recv(m Mem, from int) {
	if m.travels() {
		b.emit(Instr{Code: Recv, Peer: int32(b.peer(from)), A: b.mem(m)})
	}
}

// Isend and Irecv start a transfer, which owns the memory until its Wait.
func (b *Builder) Isend(m Mem, to int) Slot   { return b.start(Isend, m, to) }
func (b *Builder) Irecv(m Mem, from int) Slot { return b.start(Irecv, m, from) }

func (b *Builder) start(c Code, m Mem, peer int) Slot {
	if !m.travels() {
		return noSlot
	}
	s := b.program.Slots
	b.program.Slots++
	b.program.starts = append(b.program.starts, int32(len(b.program.Instrs)))
	b.emit(Instr{Code: c, Peer: int32(b.peer(peer)), Slot: int32(s), A: b.mem(m)})
	return Slot(s)
}

// noSlot is the slot of a transfer of length 0, for which there is no request.
const noSlot Slot = -1

// Wait waits for transfers in the order given.
func (b *Builder) Wait(slots ...Slot) {
	for _, s := range slots {
		if s != noSlot {
			b.emit(Instr{Code: Wait, Slot: int32(s)})
		}
	}
}

// Overlap emits two parts, and moves the waits for sends at the end of the first part behind the
// second, which must not write to their memory.
func (b *Builder) Overlap(first, second func()) {
	p := b.program
	begin := len(p.Instrs)
	first()
	end := len(p.Instrs)
	for end > begin && p.Instrs[end-1].Code == Wait && p.Starter(p.Instrs[end-1].Slot).Code == Isend {
		end--
	}
	waits := slices.Clone(p.Instrs[end:])
	p.Instrs = p.Instrs[:end]
	second()
	p.Instrs = append(p.Instrs, waits...)
}

// Exchange sends out to one rank while receiving in from another.
func (b *Builder) Exchange(out Mem, to int, in Mem, from int) {
	r := b.Irecv(in, from)
	b.Send(out, to)
	b.Wait(r)
}

// Copy copies src to dst of the same length. It emits nothing for length 0 or if both are the same
// memory.
func (b *Builder) Copy(dst, src Mem) {
	if dst, src = b.mem(dst), b.mem(src); dst.Len > 0 && dst != src {
		b.emit(Instr{Code: Copy, A: dst, B: src})
	}
}

// Combine computes dst = left op right, element by element. If the operator does not commute, left
// must come from lower ranks than right. dst may be left or right.
func (b *Builder) Combine(dst, left, right Mem) {
	if dst.Len > 0 {
		b.emit(Instr{Code: Combine, A: b.mem(dst), B: b.mem(left), C: b.mem(right)})
	}
}

// Scratch allocates n bytes of the program's own memory, aligned to a cache line.
func (b *Builder) Scratch(n int) Mem {
	const line = 64
	m := Mem{Scratch, b.program.Scratch, n}
	b.program.Scratch += (n + line - 1) &^ (line - 1)
	return m
}

// SendBuf and RecvBuf return the caller's whole buffers.
func (b *Builder) SendBuf() Mem { return Mem{SendBuffer, 0, b.SendLen()} }
func (b *Builder) RecvBuf() Mem { return Mem{RecvBuffer, 0, b.RecvLen()} }

// SendBlock and RecvBlock return the block of one rank in the caller's buffers, of a neighbourhood
// operation that of a target or a source by its index. If a buffer holds only this rank's own
// block, they return it whatever the rank.
func (b *Builder) SendBlock(rank int) Mem {
	switch b.Kind {
	case Gather, Allgather:
		return Mem{SendBuffer, 0, b.Len(b.Rank)}
	case NeighborAllgather:
		rank = 0
	}
	return block(SendBuffer, b.SendBlocks, rank, b.Bytes)
}

func (b *Builder) RecvBlock(rank int) Mem {
	switch b.Kind {
	case Scatter, ReduceScatter:
		return Mem{RecvBuffer, 0, b.Len(b.Rank)}
	}
	return block(RecvBuffer, b.RecvBlocks, rank, b.Bytes)
}

func block(buffer Buffer, blocks []Block, rank, bytes int) Mem {
	if blocks != nil {
		return Mem{buffer, blocks[rank].Off, blocks[rank].Len}
	}
	return Mem{buffer, rank * bytes, bytes}
}

// Input returns the memory of this rank's contribution: the vector of a reduction or
// broadcast, or its own block of a gather or allgather. In place it is in the Recv buffer.
func (b *Builder) Input() Mem {
	switch {
	case b.Kind == Bcast:
		return b.RecvBuf()
	case !b.InPlace:
		return b.SendBuf()
	case b.Kind == Gather || b.Kind == Allgather:
		return b.RecvBlock(b.Rank)
	case b.Kind == ReduceScatter:
		return Mem{RecvBuffer, 0, b.Total()}
	}
	return b.RecvBuf()
}
