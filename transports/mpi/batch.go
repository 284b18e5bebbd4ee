//go:build mpi && cgo

package mpi

import (
	"cmp"
	"slices"

	"gobench/device"
	"gobench/internal/blocking"
	"gobench/transports/mpi/library"
)

var _ device.Batcher = (*mpi)(nil)

// batch is the memory of StartAll and WaitAll.
type batch struct {
	transfers []library.Transfer
	numbers   []int32 // of slots; -1 for a request that is not live
	statuses  []library.Status
}

// StartAll implements device.Batcher by MPI_Isend and MPI_Irecv in one call of C.
func (d *mpi) StartAll(ops []device.Operation, requests []device.Request) (int, error) {
	b := &d.batch
	b.transfers = b.transfers[:0]
	var wrong error
	for i := range ops {
		o := &ops[i]
		t := library.Transfer{Peer: int32(o.Peer), Tag: o.Tag, Context: o.Context}
		if o.Receives {
			t.Receives = 1
			wrong = d.checkReceive(o.Peer, o.Tag, o.Context)
		} else {
			wrong = d.checkSend(o.Peer, o.Tag, o.Context)
		}
		if wrong != nil {
			break
		}
		b.transfers = append(b.transfers, t.Of(o.Buf))
	}
	b.numbers = slices.Grow(b.numbers[:0], len(b.transfers))[:len(b.transfers)]
	begun, code := library.BeginAll(b.transfers, b.numbers)
	for i, number := range b.numbers[:begun] {
		of := sends
		if ops[i].Receives {
			of = receives
		}
		requests[i] = d.began(int(number), ops[i].Buf, of)
	}
	return begun, cmp.Or(library.Check("MPI_Isend or MPI_Irecv", code), wrong)
}

// WaitAll implements device.Batcher by MPI_Waitall, or by MPI_Testall where the device yields.
func (d *mpi) WaitAll(requests []device.Request, statuses []device.Status) (failed int, err error) {
	b := &d.batch
	n := len(requests)
	b.numbers = slices.Grow(b.numbers[:0], n)[:n]
	b.statuses = slices.Grow(b.statuses[:0], n)[:n]
	for i, q := range requests {
		number, e := d.find(q)
		if e != nil {
			b.numbers[i] = -1
			continue
		}
		b.numbers[i] = int32(number)
		d.slots[number].live = false // a second time it fails
	}
	for !library.TestAll(b.numbers, d.polls(), b.statuses) {
		blocking.Yield(false)
	}
	for i, number := range b.numbers {
		var st device.Status
		e := device.ErrRequest
		if number >= 0 {
			st, e = d.ended(int(number), "MPI_Waitall", int(b.statuses[i].Error), &b.statuses[i])
		} else if d.closed {
			e = device.ErrClosed
		}
		if statuses != nil {
			statuses[i] = st
		}
		if e != nil && err == nil {
			failed, err = i, e
		}
	}
	return failed, err
}
