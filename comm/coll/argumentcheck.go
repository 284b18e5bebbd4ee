package coll

import (
	"encoding/binary"

	"gobench/comm/schedule"
	"gobench/internal/comm/coll/shared"
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
func (a *argumentCheck) sendSignature(o *operation, c *shared.Call) {
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
