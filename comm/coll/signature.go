package coll

import (
	"encoding/binary"
	"strconv"

	"gobench/comm/schedule"
	"gobench/internal/comm/coll/shared"
)

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
func (m signature) fill(c *shared.Call) {
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
