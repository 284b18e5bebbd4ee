package coll

import (
	"encoding/binary"
	"strconv"

	"gobench/comm/coll/shared"
	"gobench/comm/schedule"
)

// claim is what a rank is about to do, as it tells rank 0: a message of the same
// length from every rank, whatever it is about to do.
//
//	words   kind, root, bytes, size of an element, in place
//	names   of the operator and its type
//	words   bytes of the blocks sent, one for each rank; the same received
type claim []byte

const (
	claimKind = iota
	claimRoot
	claimBytes
	claimElem
	claimInPlace
	claimWords
)

const (
	nameSize   = 64
	blocksFrom = claimWords*8 + nameSize
)

func claimSize(ranks int) int { return blocksFrom + 2*ranks*8 }

func (m claim) word(i int) int { return int(binary.LittleEndian.Uint64(m[8*i:])) }

func (m claim) set(i, v int) { binary.LittleEndian.PutUint64(m[8*i:], uint64(v)) }

func (m claim) kind() schedule.Kind { return schedule.Kind(m.word(claimKind)) }

// sent and received are the lengths of blocks.
func (m claim) sent(rank int) int { return int(binary.LittleEndian.Uint64(m[blocksFrom+8*rank:])) }

func (m claim) received(rank, ranks int) int { return m.sent(ranks + rank) }

func (m claim) operator() string { return text(m[claimWords*8 : blocksFrom]) }

// fill writes the claim of a call.
func (m claim) fill(c *shared.Call) {
	s := c.Shape
	clear(m)
	m.set(claimKind, int(s.Kind))
	m.set(claimRoot, s.Root)
	m.set(claimBytes, s.Bytes)
	m.set(claimElem, s.Elem)
	if s.InPlace {
		m.set(claimInPlace, 1)
	}
	if c.Op != nil {
		putText(m[claimWords*8:blocksFrom], c.Op.String())
	}
	if !s.Kind.Blocked() {
		return
	}
	for rank := range s.Ranks {
		sent, received := s.Len(rank), s.Len(rank)
		if s.Kind == schedule.Alltoall && s.RecvBlocks != nil {
			received = s.RecvBlocks[rank].Len
		}
		binary.LittleEndian.PutUint64(m[blocksFrom+8*rank:], uint64(sent))
		binary.LittleEndian.PutUint64(m[blocksFrom+8*(s.Ranks+rank):], uint64(received))
	}
}

// differ compares the claims of two ranks a and b and returns the first thing
// that they do not agree about, nil if there is none.
func differ(ma, mb claim, a, b, ranks int) *verdict {
	found := func(what, va, vb string) *verdict { return &verdict{what, [2]int{a, b}, [2]string{va, vb}} }
	number := func(what string, i int) *verdict {
		return found(what, strconv.Itoa(ma.word(i)), strconv.Itoa(mb.word(i)))
	}
	same := func(i int) bool { return ma.word(i) == mb.word(i) }
	kind := ma.kind()
	switch {
	case !same(claimKind):
		return found("the operation", kind.String(), mb.kind().String())
	case kind == schedule.Barrier:
		return nil
	case kind.Rooted() && !same(claimRoot):
		return number("root", claimRoot)
	case ma.operator() != mb.operator():
		return found("the operator", named(ma.operator()), named(mb.operator()))
	case !same(claimElem):
		return number("the size of an element", claimElem)
	case !kind.Blocked() && !same(claimBytes):
		return found("the vector", size(ma.word(claimBytes)), size(mb.word(claimBytes)))
	case !kind.Rooted() && !same(claimInPlace):
		return found("in place", yesNo(ma.word(claimInPlace)), yesNo(mb.word(claimInPlace)))
	case !kind.Blocked():
		return nil
	}
	if kind == schedule.Alltoall {
		if s, r := ma.sent(b), mb.received(a, ranks); s != r {
			return found(between(a, b), size(s), size(r))
		}
		if r, s := ma.received(b, ranks), mb.sent(a); r != s {
			return found(between(b, a), size(r), size(s))
		}
		return nil
	}
	for rank := range ranks {
		if x, y := ma.sent(rank), mb.sent(rank); x != y {
			return found("the block of rank "+strconv.Itoa(rank), size(x), size(y))
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

// text and putText keep a string in a field of fixed length.
func text(b []byte) string { return string(b[1 : 1+b[0]]) }

func putText(b []byte, s string) { b[0] = byte(copy(b[1:], s)) }
