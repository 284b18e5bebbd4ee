package coll

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"

	"gobench/comm/schedule"
	"gobench/internal/comm/coll/shared"
	"gobench/internal/human"
)

// argumentCheck implements CheckStrict: before an operation every rank sends the signature of its
// call to rank 0, which compares them and sends the result to all ranks. Both steps are programs,
// so non-blocking operations are checked too. The check adds a round trip to every operation;
// strict jobs are not for measuring.
type argumentCheck struct {
	mine   signature
	all    []byte // the signatures of all ranks, on rank 0
	answer []byte // an encoded disagreement
}

// A disagreement is the first difference found between the signatures of two ranks.
type disagreement struct {
	what   string
	ranks  [2]int
	values [2]string
}

const disagreementSize = 1 + 3*nameSize + 2*4

func (d *disagreement) encode(b []byte) {
	b[0] = 1
	putText(b[1:1+nameSize], d.what)
	for i := range d.ranks {
		putText(b[1+(i+1)*nameSize:1+(i+2)*nameSize], d.values[i])
		binary.LittleEndian.PutUint32(b[1+3*nameSize+4*i:], uint32(d.ranks[i]))
	}
}

// decodeDisagreement returns nil if all ranks agree.
func decodeDisagreement(b []byte) *disagreement {
	if b[0] == 0 {
		return nil
	}
	d := &disagreement{what: text(b[1:])}
	for i := range d.ranks {
		d.values[i] = text(b[1+(i+1)*nameSize:])
		d.ranks[i] = int(binary.LittleEndian.Uint32(b[1+3*nameSize+4*i:]))
	}
	return d
}

// gatherSignatures returns the program that sends all signatures to rank 0.
func gatherSignatures(rank, ranks int) *schedule.Program {
	size := signatureSize(ranks)
	return schedule.Build(schedule.Shape{Rank: rank, Ranks: ranks}, func(b *schedule.Builder) {
		if rank != 0 {
			b.Send(schedule.Mem{Buffer: schedule.SendBuffer, Len: size}, 0)
			return
		}
		var all []schedule.Slot
		for peer := 1; peer < ranks; peer++ {
			all = append(all, b.Irecv(schedule.Mem{Buffer: schedule.RecvBuffer, Off: peer * size, Len: size}, peer))
		}
		b.Wait(all...)
	})
}

// sendAnswer returns the program that sends the result of the comparison from rank 0 to all ranks.
func sendAnswer(rank, ranks int) *schedule.Program {
	return schedule.Build(schedule.Shape{Rank: rank, Ranks: ranks}, func(b *schedule.Builder) {
		if rank != 0 {
			b.Recv(schedule.Mem{Buffer: schedule.RecvBuffer, Len: disagreementSize}, 0)
			return
		}
		var all []schedule.Slot
		for peer := 1; peer < ranks; peer++ {
			all = append(all, b.Isend(schedule.Mem{Buffer: schedule.SendBuffer, Len: disagreementSize}, peer))
		}
		b.Wait(all...)
	})
}

// sendSignature starts the first program.
func (a *argumentCheck) sendSignature(o *operation, c *schedule.Call) {
	r := o.r
	if a.mine == nil {
		a.mine, a.answer = make(signature, signatureSize(r.ranks)), make([]byte, disagreementSize)
		if r.rank == 0 {
			a.all = make([]byte, r.ranks*signatureSize(r.ranks))
		}
	}
	a.mine.fill(c)
	o.run.Start(r.signatures, a.mine, a.all, nil, o.tag|r.tags.check)
}

// checkSignatures compares the signatures on rank 0 and starts the second program on all ranks.
func (a *argumentCheck) checkSignatures(o *operation) {
	r := o.r
	clear(a.answer)
	if r.rank == 0 {
		copy(a.all, a.mine)
		if d := a.compare(r.ranks); d != nil {
			d.encode(a.answer)
		}
	}
	o.run.Start(r.answer, a.answer, a.answer, nil, o.tag|r.tags.check)
}

// compare finds the first two ranks that disagree. Ranks are compared with rank 0 only, except for
// the blocks of an alltoall or of neighbours, which every two ranks must agree on.
func (a *argumentCheck) compare(ranks int) *disagreement {
	size := signatureSize(ranks)
	of := func(rank int) signature { return a.all[rank*size : (rank+1)*size] }
	for b := 1; b < ranks; b++ {
		if d := differ(of(0), of(b), 0, b, ranks); d != nil {
			return d
		}
	}
	if kind := of(0).kind(); kind != schedule.Alltoall && !kind.Neighbors() {
		return nil
	}
	for x := 1; x < ranks; x++ {
		for y := x + 1; y < ranks; y++ {
			if d := differ(of(x), of(y), x, y, ranks); d != nil {
				return d
			}
		}
	}
	return nil
}

// result returns a *MismatchError if the ranks disagree.
func (a *argumentCheck) result(kind schedule.Kind) error {
	if d := decodeDisagreement(a.answer); d != nil {
		return &MismatchError{kind, d.what, d.ranks, d.values}
	}
	return nil
}

// A signature holds the arguments of a collective call in a message whose length depends on the
// number of ranks only, so that rank 0 can receive it whatever a rank calls.
//
//	words   kind, root, bytes, size of an element, in place
//	names   of the operator and its type
//	words   bytes of the blocks sent, together for each rank; the same received
type signature []byte

const (
	signatureKind = iota
	signatureRoot
	signatureBytes
	signatureElem
	signatureInPlace
	signatureWords
)

const (
	nameSize   = 64
	blocksFrom = signatureWords*8 + nameSize
)

func signatureSize(ranks int) int { return blocksFrom + 2*ranks*8 }

func (m signature) word(i int) int { return int(binary.LittleEndian.Uint64(m[8*i:])) }

func (m signature) set(i, v int) { binary.LittleEndian.PutUint64(m[8*i:], uint64(v)) }

func (m signature) kind() schedule.Kind { return schedule.Kind(m.word(signatureKind)) }

// sent and received return the lengths of blocks in bytes.
func (m signature) sent(rank int) int { return int(binary.LittleEndian.Uint64(m[blocksFrom+8*rank:])) }

func (m signature) received(rank, ranks int) int { return m.sent(ranks + rank) }

// add adds bytes to a block: of those sent, and behind them of those received.
func (m signature) add(block, bytes int) {
	binary.LittleEndian.PutUint64(m[blocksFrom+8*block:], uint64(m.sent(block)+bytes))
}

func (m signature) operator() string { return text(m[signatureWords*8 : blocksFrom]) }

// fill writes the signature of a call.
func (m signature) fill(c *schedule.Call) {
	s := c.Shape
	clear(m)
	m.set(signatureKind, int(s.Kind))
	m.set(signatureRoot, s.Root)
	m.set(signatureBytes, s.Bytes)
	m.set(signatureElem, s.Elem)
	if s.InPlace {
		m.set(signatureInPlace, 1)
	}
	if c.Op != nil {
		putText(m[signatureWords*8:blocksFrom], c.Op.String())
	}
	if s.Kind.Neighbors() {
		b := schedule.Builder{Shape: *s}
		for i, to := range s.Targets {
			m.add(to, b.SendBlock(i).Len)
		}
		for i, from := range s.Sources {
			m.add(s.Ranks+from, b.RecvBlock(i).Len)
		}
	}
	if !s.Kind.Blocked() {
		return
	}
	for rank := range s.Ranks {
		sent, received := s.Len(rank), s.Len(rank)
		if s.Kind == schedule.Alltoall && s.RecvBlocks != nil {
			received = s.RecvBlocks[rank].Len
		}
		m.add(rank, sent)
		m.add(s.Ranks+rank, received)
	}
}

// differ compares the signatures of two ranks a and b and returns the first difference, or nil.
func differ(ma, mb signature, a, b, ranks int) *disagreement {
	found := func(what, va, vb string) *disagreement { return &disagreement{what, [2]int{a, b}, [2]string{va, vb}} }
	number := func(what string, i int) *disagreement {
		return found(what, strconv.Itoa(ma.word(i)), strconv.Itoa(mb.word(i)))
	}
	same := func(i int) bool { return ma.word(i) == mb.word(i) }
	kind := ma.kind()
	pairwise := kind == schedule.Alltoall || kind.Neighbors()
	switch {
	case !same(signatureKind):
		return found("the operation", kind.String(), mb.kind().String())
	case kind == schedule.Barrier:
		return nil
	case kind.Rooted() && !same(signatureRoot):
		return number("root", signatureRoot)
	case ma.operator() != mb.operator():
		return found("the operator", named(ma.operator()), named(mb.operator()))
	case !same(signatureElem):
		return number("the size of an element", signatureElem)
	case !kind.Blocked() && !pairwise && !same(signatureBytes):
		return found("the vector", byteCount(ma.word(signatureBytes)), byteCount(mb.word(signatureBytes)))
	case !kind.Rooted() && !same(signatureInPlace):
		return found("in place", yesNo(ma.word(signatureInPlace)), yesNo(mb.word(signatureInPlace)))
	case !kind.Blocked() && !pairwise:
		return nil
	}
	if pairwise {
		if s, r := ma.sent(b), mb.received(a, ranks); s != r {
			return found(between(a, b), byteCount(s), byteCount(r))
		}
		if r, s := ma.received(b, ranks), mb.sent(a); r != s {
			return found(between(b, a), byteCount(r), byteCount(s))
		}
		return nil
	}
	for rank := range ranks {
		if x, y := ma.sent(rank), mb.sent(rank); x != y {
			return found("the block of rank "+strconv.Itoa(rank), byteCount(x), byteCount(y))
		}
	}
	return nil
}

func between(from, to int) string {
	return "the block from rank " + strconv.Itoa(from) + " to rank " + strconv.Itoa(to)
}

func named(operator string) string {
	if operator == "" {
		return "none"
	}
	return operator
}

func yesNo(n int) string {
	if n != 0 {
		return "yes"
	}
	return "no"
}

// text and putText read and write a string in a field of fixed length. What does not fit is cut
// off.
func text(b []byte) string { return string(b[1 : 1+b[0]]) }

func putText(b []byte, s string) { b[0] = byte(copy(b[1:nameSize], s)) }

// Check selects how thoroughly ranks verify that they call the same operation with matching
// arguments.
type Check uint8

const (
	CheckFree   Check = iota // checks without cost: the lengths of received messages
	CheckStrict              // all arguments, by its own messages before each operation
)

func (c Check) String() string { return [...]string{"free", "strict"}[c] }

// A MismatchError reports that two ranks of a communicator called different operations, or the same
// one with arguments that disagree.
type MismatchError struct {
	Kind   schedule.Kind // of the operation that this rank called
	What   string        // the argument that differs: "root", "the vector", "the operation"
	Ranks  [2]int        // ranks of the communicator
	Values [2]string     // the values of the argument on these ranks
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("%v: %s is %s on rank %d and %s on rank %d",
		e.Kind, e.What, e.Values[0], e.Ranks[0], e.Values[1], e.Ranks[1])
}

// explain records that the operation failed and converts errors that indicate a mismatch to a
// *MismatchError.
func (r *Runner) explain(kind schedule.Kind, err error) error {
	if _, ok := errors.AsType[*FitError](err); ok { // nothing was sent
		return err
	}
	r.failed = true
	if length, ok := errors.AsType[*schedule.LengthError](err); ok {
		return &MismatchError{kind, "the message from rank " + strconv.Itoa(length.Peer) + " to rank " + strconv.Itoa(r.rank),
			[2]int{length.Peer, r.rank}, [2]string{byteCount(length.Got), byteCount(length.Want)}}
	}
	if other, ok := errors.AsType[*shared.OperationError](err); ok {
		return &MismatchError{kind, "the operation", [2]int{other.Peer, r.rank}, [2]string{other.Got.String(), other.Want.String()}}
	}
	return err
}

// byteCount formats a number of bytes for people.
func byteCount(n int) string { return human.Count(n, "byte", "bytes") }
