package coll

import (
	"encoding/binary"

	"gobench/comm/coll/shared"
	"gobench/comm/schedule"
)

// agreement is strict checking: before an operation every rank tells rank 0 what
// it is about to do, and rank 0 tells all what it thinks of it. These are
// programs like others, so it works for non-blocking operations too. An operation
// takes a round trip more, so nothing is measured like that.
type agreement struct {
	mine claim
	all  []byte // of all ranks, on rank 0
	word []byte // the verdict
}

// strictTag tells messages of the agreement from those of the operation.
const strictTag = lastTag + 1

// verdict is the first thing about which ranks do not agree.
type verdict struct {
	what   string
	ranks  [2]int
	values [2]string
}

const verdictSize = 1 + 3*nameSize + 2*4

func (v *verdict) encode(b []byte) {
	b[0] = 1
	putText(b[1:1+nameSize], v.what)
	for i := range v.ranks {
		putText(b[1+(i+1)*nameSize:1+(i+2)*nameSize], v.values[i])
		binary.LittleEndian.PutUint32(b[1+3*nameSize+4*i:], uint32(v.ranks[i]))
	}
}

// decodeVerdict returns nil if all agree.
func decodeVerdict(b []byte) *verdict {
	if b[0] == 0 {
		return nil
	}
	v := &verdict{what: text(b[1:])}
	for i := range v.ranks {
		v.values[i] = text(b[1+(i+1)*nameSize:])
		v.ranks[i] = int(binary.LittleEndian.Uint32(b[1+3*nameSize+4*i:]))
	}
	return v
}

// claims is the program that brings all claims to rank 0.
func claims(rank, ranks int) *schedule.Program {
	size := claimSize(ranks)
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

// verdicts is the program that tells all what rank 0 thinks.
func verdicts(rank, ranks int) *schedule.Program {
	return schedule.Build(schedule.Shape{Rank: rank, Ranks: ranks}, func(b *schedule.Builder) {
		if rank != 0 {
			b.Recv(schedule.Mem{Buffer: schedule.RecvBuffer, Len: verdictSize}, 0)
			return
		}
		var all []schedule.Slot
		for peer := 1; peer < ranks; peer++ {
			all = append(all, b.Isend(schedule.Mem{Buffer: schedule.SendBuffer, Len: verdictSize}, peer))
		}
		b.Wait(all...)
	})
}

// claim starts the first program.
func (a *agreement) claim(o *operation, c *shared.Call) {
	r := o.r
	if a.mine == nil {
		a.mine, a.word = make(claim, claimSize(r.ranks)), make([]byte, verdictSize)
		if r.rank == 0 {
			a.all = make([]byte, r.ranks*claimSize(r.ranks))
		}
	}
	a.mine.fill(c)
	o.run.Start(r.claims, a.mine, a.all, nil, o.tag|strictTag)
}

// judge starts the second program, on rank 0 with what the claims show.
func (a *agreement) judge(o *operation) {
	r := o.r
	clear(a.word)
	if r.rank == 0 {
		copy(a.all, a.mine)
		if v := a.compare(r.ranks); v != nil {
			v.encode(a.word)
		}
	}
	o.run.Start(r.verdicts, a.word, a.word, nil, o.tag|strictTag)
}

// compare finds the first two ranks that do not agree. All but the blocks of an
// alltoall is compared with rank 0 only.
func (a *agreement) compare(ranks int) *verdict {
	size := claimSize(ranks)
	of := func(rank int) claim { return a.all[rank*size : (rank+1)*size] }
	for b := 1; b < ranks; b++ {
		if v := differ(of(0), of(b), 0, b, ranks); v != nil {
			return v
		}
	}
	if of(0).kind() != schedule.Alltoall {
		return nil
	}
	for x := 1; x < ranks; x++ {
		for y := x + 1; y < ranks; y++ {
			if v := differ(of(x), of(y), x, y, ranks); v != nil {
				return v
			}
		}
	}
	return nil
}

// result is the error of an operation about which the ranks do not agree.
func (a *agreement) result(kind schedule.Kind) error {
	if v := decodeVerdict(a.word); v != nil {
		return &MismatchError{kind, v.what, v.ranks, v.values}
	}
	return nil
}
