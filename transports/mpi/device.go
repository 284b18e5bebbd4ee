//go:build mpi && cgo

package mpi

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"gobench/device"
	"gobench/internal/blocking"
	"gobench/transports/mpi/library"
)

// mpi is the device. Its calls map to calls of MPI, with contexts as communicators.
type mpi struct {
	job       *job
	slots     []slot // by number of the library's slots
	yields    bool   // waits by testing
	closed    bool
	info      device.Info
	allocated map[uintptr][]byte // what MPI_Alloc_mem returned, by the address of the aligned part
	regions   []*region          // open
	batch     batch
}

var _ device.Device = (*mpi)(nil)

// slot is the Go side of a request: it keeps the buffer alive.
type slot struct {
	buf   []byte
	other []byte // the second buffer of a collective operation
	turn  uint32 // of the slot's use; part of the handle
	live  bool
	kind  kind
}

// kind is the kind of a request.
type kind uint8

const (
	sends kind = iota
	receives
	collects
)

func open(ctx context.Context, job device.Job, opts device.Options) (device.Device, error) {
	d, err := begin(job, opts)
	if err != nil {
		return nil, err
	}
	return d, nil
}

// begin makes the device of all ranks, collectively.
func begin(job device.Job, opts device.Options) (*mpi, error) {
	switch {
	case started == nil || started.ended:
		return nil, unavailable("no launcher of MPI has started this process", "run mpiexec -n 2 gobench ...")
	case started.thread != unix.Gettid():
		return nil, errors.New("MPI is called by the thread that has started it, and this is another")
	}
	if n := library.Outstanding(); n > 0 {
		return nil, fmt.Errorf("the device before has ended with %d messages that are not complete", n)
	}
	if err := library.Settle(); err != nil {
		return nil, err
	}
	j := started
	yields := opts.Word("wait") == "yield" || opts.Word("wait") == "auto" && j.LocalSize > device.Processors(job)
	in := opts.Map()
	in["wait"] = map[bool]string{true: "yield", false: "library"}[yields]
	in["library"], in["version"], in["standard"], in["thread"] = product(j.Version), j.Version, j.Standard, j.Thread
	if loaded, err := os.ReadFile("/proc/self/maps"); err == nil {
		in["modules"] = modules(string(loaded))
	}
	maps.Copy(in, parameters(os.Environ()))
	return &mpi{
		job:       j,
		yields:    yields,
		allocated: map[uintptr][]byte{},
		info: device.Info{
			Transport: name, MaxTag: j.MaxTag, MaxContext: library.Contexts - 1, Options: in, Ranks: "process", Quick: j.LocalSize == j.Size(),
			Path: func(int, device.Traffic) string { return j.abi },
		},
	}, nil
}

// OneThread reports whether the library forbids calls from a second thread, even if they alternate
// (package coll).
func (d *mpi) OneThread() bool { return d.job.Thread == "single" || d.job.Thread == "funneled" }

func (d *mpi) Rank() int         { return d.job.Facts.Rank }
func (d *mpi) Size() int         { return d.job.Facts.Size }
func (d *mpi) Info() device.Info { return d.info }

// checkSend returns the error of the arguments of a send.
func (d *mpi) checkSend(dst int, tag, context int32) error {
	if uint(dst) < uint(d.Size()) && tag >= 0 && tag <= d.job.MaxTag && uint32(context) < library.Contexts && !d.closed {
		return nil
	}
	if !d.closed && uint(dst) >= uint(d.Size()) {
		return &device.ArgumentError{Name: "destination", Value: dst, Want: fmt.Sprintf("0..%d", d.Size()-1)}
	}
	return d.checkBoth(tag, context)
}

// checkReceive returns the error of the arguments of a receive or probe.
func (d *mpi) checkReceive(src int, tag, context int32) error {
	if uint(src+1) <= uint(d.Size()) && tag >= device.AnyTag && tag <= d.job.MaxTag && uint32(context) < library.Contexts && !d.closed {
		return nil
	}
	if !d.closed && uint(src+1) > uint(d.Size()) {
		return &device.ArgumentError{Name: "source", Value: src, Want: fmt.Sprintf("0..%d or AnySource", d.Size()-1)}
	}
	return d.checkBoth(tag, context)
}

func (d *mpi) checkBoth(tag, context int32) error {
	switch {
	case d.closed:
		return device.ErrClosed
	case uint32(context) >= library.Contexts:
		return &device.ArgumentError{Name: "context", Value: int(context), Want: fmt.Sprintf("0..%d: contexts are communicators of MPI", library.Contexts-1)}
	}
	return &device.ArgumentError{Name: "tag", Value: int(tag), Want: fmt.Sprintf("a tag from 0 to %d (MPI_TAG_UB)", d.job.MaxTag)}
}

// begun returns the handle of a Begin with buf, or its error.
func (d *mpi) begun(call string, number int, buf []byte, of kind) (device.Request, error) {
	if number < 0 {
		return 0, library.Fault(call, number)
	}
	return d.began(number, buf, of), nil
}

// began records a request of the library, which uses buf, and returns its handle.
func (d *mpi) began(number int, buf []byte, of kind) device.Request {
	for number >= len(d.slots) {
		d.slots = append(d.slots, slot{})
	}
	s := &d.slots[number]
	s.buf, s.live, s.kind = buf, true, of
	if s.turn++; s.turn == 0 {
		s.turn = 1
	}
	return s.handle(number)
}

func (s *slot) handle(number int) device.Request {
	return device.Request(s.turn)<<32 | device.Request(number)
}

// find returns the slot of a handle.
func (d *mpi) find(q device.Request) (int, error) {
	if d.closed {
		return 0, device.ErrClosed
	}
	number := int(q & math.MaxUint32)
	if number >= len(d.slots) || !d.slots[number].live || d.slots[number].turn != uint32(q>>32) {
		return 0, device.ErrRequest
	}
	return number, nil
}

func (d *mpi) isend(mode library.Mode, buf []byte, dst int, tag, context int32) (device.Request, error) {
	if err := d.checkSend(dst, tag, context); err != nil {
		return 0, err
	}
	return d.begun("MPI_Isend", library.BeginSend(mode, buf, dst, tag, context), buf, sends)
}

// Irecv starts a receive.
func (d *mpi) Irecv(buf []byte, src int, tag, context int32) (device.Request, error) {
	if err := d.checkReceive(src, tag, context); err != nil {
		return 0, err
	}
	return d.begun("MPI_Irecv", library.BeginReceive(buf, src, tag, context), buf, receives)
}

func (d *mpi) send(mode library.Mode, buf []byte, dst int, tag, context int32) error {
	if err := d.checkSend(dst, tag, context); err != nil {
		return err
	}
	if !d.yields {
		if e := library.Send(mode, buf, dst, tag, context); e != 0 {
			return library.Check("MPI_Send", e)
		}
		return nil
	}
	q, err := d.isend(mode, buf, dst, tag, context)
	if err == nil {
		_, err = d.Wait(q)
	}
	return err
}

// Recv receives.
func (d *mpi) Recv(buf []byte, src int, tag, context int32) (device.Status, error) {
	if err := d.checkReceive(src, tag, context); err != nil {
		return device.Status{}, err
	}
	if !d.yields {
		if e := library.Receive(buf, src, tag, context); e != 0 {
			return device.Status{}, library.Check("MPI_Recv", e)
		}
		return received(buf, d.job.status)
	}
	q, err := d.Irecv(buf, src, tag, context)
	if err != nil {
		return device.Status{}, err
	}
	return d.Wait(q)
}

// received returns the status of the message that was received into buf, with s of the library.
func received(buf []byte, s *library.Status) (device.Status, error) {
	st := device.Status{Source: int(s.Source), Tag: s.Tag, Size: int(s.Size)}
	if s.Truncated != 0 {
		return st, &device.TruncationError{Source: st.Source, Tag: st.Tag, Size: st.Size, Room: len(buf)}
	}
	return st, nil
}

// yieldAfter is the number of tests before a waiting rank yields the processor.
const yieldAfter = 50

// polls returns the number of tests in a call of the library that waits, -1 if it waits itself.
func (d *mpi) polls() int {
	if d.yields {
		return yieldAfter
	}
	return -1
}

// Wait waits for a request.
func (d *mpi) Wait(q device.Request) (device.Status, error) {
	number, err := d.find(q)
	if err != nil {
		return device.Status{}, err
	}
	for {
		done := library.Test(number, d.polls())
		if done != 0 {
			return d.complete(number, done)
		}
		blocking.Yield(false)
	}
}

// Test tests a request once.
func (d *mpi) Test(q device.Request) (device.Status, bool, error) {
	number, err := d.find(q)
	if err != nil {
		return device.Status{}, false, err
	}
	done := library.Test(number, 1)
	if done == 0 {
		return device.Status{}, false, nil
	}
	st, err := d.complete(number, done)
	return st, true, err
}

// complete releases a slot and returns the outcome of its request.
func (d *mpi) complete(number, done int) (device.Status, error) {
	code := 0
	if done < 0 {
		code = -1 - done
	}
	return d.ended(number, "MPI_Test", code, d.job.status)
}

// ended is complete with what a call of the library has returned, a code and a status.
func (d *mpi) ended(number int, call string, code int, st *library.Status) (device.Status, error) {
	s := &d.slots[number]
	buf := s.buf
	of := s.kind
	s.buf, s.other, s.live = nil, nil, false
	switch {
	case code != 0:
		return device.Status{}, library.Check(call, code)
	case of == collects:
		return device.Status{}, nil
	case st.Cancelled != 0:
		return device.Status{Cancelled: true}, nil
	}
	return received(buf, st)
}

// goodbye bounds the time that Close waits for receivers. A test shortens it.
var goodbye = 10 * time.Second

// Close cancels receives, ends the epochs of open regions, waits until the sends are complete, and
// frees the memory of Alloc. MPI cannot express that a rank has closed: others that wait for it
// wait forever. If a send does not end, the device is closed all the same, and none can be opened
// after it.
func (d *mpi) Close() error {
	if d.closed {
		return device.ErrClosed
	}
	for number := range d.slots {
		if s := &d.slots[number]; s.live && s.kind == receives {
			library.Cancel(number)
		}
	}
	d.closed = true
	var err error
	for _, r := range d.regions { // MPI_Win_free would wait for all ranks
		err = errors.Join(err, r.window.Unlock())
	}
	d.regions = nil
	if e := d.finish(); e != nil {
		unfinished = d
		return errors.Join(err, e)
	}
	for _, all := range d.allocated {
		library.Release(all)
	}
	d.allocated = nil
	return err
}

// unfinished is a closed device with buffers that the library still uses.
var unfinished *mpi

// finish waits until all requests are complete.
func (d *mpi) finish() error {
	deadline := time.Now().Add(goodbye)
	for left := library.Outstanding(); left > 0; left = library.Outstanding() {
		number := library.AnyComplete(yieldAfter)
		if number < 0 {
			return library.Fault("MPI_Testany", number)
		}
		if number > 0 {
			d.complete(number-1, library.Test(number-1, 1))
			continue
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%d messages were sent, and their receivers do not take them", left)
		}
		blocking.Yield(false)
	}
	return nil
}

func (d *mpi) Isend(buf []byte, dst int, tag, context int32) (device.Request, error) {
	return d.isend(library.Standard, buf, dst, tag, context)
}

func (d *mpi) Issend(buf []byte, dst int, tag, context int32) (device.Request, error) {
	return d.isend(library.Synchronous, buf, dst, tag, context)
}

func (d *mpi) Send(buf []byte, dst int, tag, context int32) error {
	return d.send(library.Standard, buf, dst, tag, context)
}

func (d *mpi) Ssend(buf []byte, dst int, tag, context int32) error {
	return d.send(library.Synchronous, buf, dst, tag, context)
}

// Iprobe looks for a message once.
func (d *mpi) Iprobe(src int, tag, context int32) (device.Status, bool, error) {
	if err := d.checkReceive(src, tag, context); err != nil {
		return device.Status{}, false, err
	}
	return d.probed(library.Probe(src, tag, context, 1))
}

// Probe waits for a message.
func (d *mpi) Probe(src int, tag, context int32) (device.Status, error) {
	if err := d.checkReceive(src, tag, context); err != nil {
		return device.Status{}, err
	}
	for {
		st, found, err := d.probed(library.Probe(src, tag, context, d.polls()))
		if found || err != nil {
			return st, err
		}
		blocking.Yield(false)
	}
}

func (d *mpi) probed(result int) (device.Status, bool, error) {
	if result == 0 {
		return device.Status{}, false, nil
	}
	if result < 0 {
		return device.Status{}, false, library.Fault("MPI_Iprobe", result)
	}
	s := d.job.status
	return device.Status{Source: int(s.Source), Tag: s.Tag, Size: int(s.Size)}, true, nil
}

// Peek waits for any request.
func (d *mpi) Peek() (device.Request, error) {
	if d.closed {
		return 0, device.ErrClosed
	}
	if library.Outstanding() == 0 {
		return 0, device.ErrRequest
	}
	for {
		number := library.AnyComplete(yieldAfter)
		switch {
		case number < 0:
			return 0, library.Fault("MPI_Testany", number)
		case number > 0:
			number--
			return d.slots[number].handle(number), nil
		case d.yields:
			blocking.Yield(false)
		}
	}
}

// Cancel cancels a request, if the library can.
func (d *mpi) Cancel(q device.Request) error {
	number, err := d.find(q)
	if err != nil {
		return err
	}
	if d.slots[number].kind == collects {
		return nil // MPI cannot
	}
	return library.Check("MPI_Cancel", library.Cancel(number))
}

func address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

// Alloc takes memory from MPI_Alloc_mem.
func (d *mpi) Alloc(n int) ([]byte, error) {
	if d.closed {
		return nil, device.ErrClosed
	}
	page := os.Getpagesize()
	all := library.Alloc(max(n, 1) + page)
	if all == nil {
		return nil, fmt.Errorf("MPI_Alloc_mem has no %d bytes", n)
	}
	at := (page - int(address(all)%uintptr(page))) % page
	b := all[at : at+n : at+max(n, 1)] // an empty slice at its end would have another address
	clear(b)
	d.allocated[address(all[at:])] = all
	return b, nil
}

// Free returns memory of Alloc.
func (d *mpi) Free(b []byte) error {
	all, ok := d.allocated[address(b)]
	if !ok {
		return &device.ArgumentError{Name: "memory", Value: len(b), Want: "what Alloc has returned"}
	}
	delete(d.allocated, address(b))
	library.Release(all)
	return nil
}
