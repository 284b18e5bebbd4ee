package coll

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"strings"

	"gobench/comm/coll/shared"
	"gobench/comm/schedule"
)

// Strict checking: before an operation every rank tells rank 0 what it is about
// to do, and rank 0 tells all what it thinks of it. An operation takes at least
// one more round trip, so nothing is measured like that.

const strictTag = lastTag + 1

// claim is what a rank is about to do.
type claim [5]int64

const (
	claimKind = iota
	claimRoot
	claimBytes
	claimElem
	claimOp
)

var claimNames = [...]string{"operation", "root", "size in bytes", "size of an element", "operator"}

// verdict is the first value that differs from rank 0's: which, where, and what.
type verdict [4]int64

const claimSize = len(claim{}) * 8

func newClaim(c *shared.Call) claim {
	s := c.Shape
	var m claim
	m[claimKind], m[claimRoot], m[claimElem] = int64(s.Kind), -1, int64(s.Elem)
	m[claimBytes] = int64(s.Total())
	if s.Kind.Rooted() {
		m[claimRoot] = int64(s.Root)
	}
	if c.Op != nil {
		h := fnv.New64a()
		fmt.Fprint(h, c.Op.Name, c.Op.Type)
		m[claimOp] = int64(h.Sum64())
	}
	if s.Kind == schedule.Alltoall && !s.Uniform() {
		m[claimBytes] = 0 // what the ranks send to each other differs by right
	}
	return m
}

// agree compares what the ranks are about to do.
func (r *Runner) agree(c *shared.Call) error {
	mine := newClaim(c)
	var found verdict
	var err error
	if r.rank == 0 {
		found, err = r.judge(&mine)
	} else {
		found, err = r.claim(&mine)
	}
	if err != nil || found[0] < 0 {
		return err
	}
	return &MismatchError{c.Shape.Kind, r.words(found)}
}

func (r *Runner) claim(mine *claim) (found verdict, err error) {
	var b [claimSize]byte
	out := b[:0]
	for _, v := range mine {
		out = binary.LittleEndian.AppendUint64(out, uint64(v))
	}
	if err := r.dev.Send(out, r.at(0), strictTag, r.context); err != nil {
		return found, err
	}
	in := b[:len(found)*8]
	if _, err := r.dev.Recv(in, r.at(0), strictTag, r.context); err != nil {
		return found, err
	}
	for i := range found {
		found[i] = int64(binary.LittleEndian.Uint64(in[8*i:]))
	}
	return found, nil
}

// judge is rank 0's part. It hears all before it speaks.
func (r *Runner) judge(mine *claim) (found verdict, err error) {
	found[0] = -1
	b := make([]byte, claimSize)
	for peer := 1; peer < r.ranks; peer++ {
		if _, err := r.dev.Recv(b, r.at(peer), strictTag, r.context); err != nil {
			return found, err
		}
		for i, want := range mine {
			if got := int64(binary.LittleEndian.Uint64(b[8*i:])); got != want && found[0] < 0 {
				found = verdict{int64(i), int64(peer), want, got}
			}
		}
	}
	out := b[:0]
	for _, v := range found {
		out = binary.LittleEndian.AppendUint64(out, uint64(v))
	}
	for peer := 1; peer < r.ranks; peer++ {
		if err := r.dev.Send(out, r.at(peer), strictTag, r.context); err != nil {
			return found, err
		}
	}
	return found, nil
}

func (r *Runner) at(rank int) int {
	if r.world == nil {
		return rank
	}
	return r.world[rank]
}

// words puts a verdict into words.
func (r *Runner) words(v verdict) string {
	value := func(n int64) string {
		if v[0] == claimKind && n >= 0 && n < int64(schedule.Kinds) {
			return schedule.Kind(n).String()
		}
		if v[0] == claimOp {
			return "another one"
		}
		return fmt.Sprint(n)
	}
	if v[0] == claimOp {
		return fmt.Sprintf("rank %d has another %s than rank 0", v[1], claimNames[claimOp])
	}
	return strings.Join([]string{claimNames[v[0]], "is", value(v[2]), "on rank 0 and", value(v[3]), "on rank", fmt.Sprint(v[1])}, " ")
}

