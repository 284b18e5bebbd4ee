//go:build mpi && cgo

// Package library opens an MPI library at run time and calls it. The part that depends on the ABI
// of the library (abi/*.c) is compiled once for each ABI and embedded.
//
// All calls but Version come from the thread that has called Start. A call blocks no other
// goroutine of the process.
package library

// #cgo CFLAGS: -O2 -Wall -Wextra -Werror
// #cgo noescape mpi_send
// #cgo nocallback mpi_send
// #cgo noescape mpi_receive
// #cgo nocallback mpi_receive
// #cgo noescape mpi_begin_send
// #cgo nocallback mpi_begin_send
// #cgo noescape mpi_begin_receive
// #cgo nocallback mpi_begin_receive
// #cgo noescape mpi_begin_all
// #cgo nocallback mpi_begin_all
// #cgo noescape mpi_test_all
// #cgo nocallback mpi_test_all
// #cgo noescape mpi_test
// #cgo nocallback mpi_test
// #cgo noescape mpi_any
// #cgo nocallback mpi_any
// #cgo noescape mpi_probe
// #cgo nocallback mpi_probe
// #cgo noescape mpi_collect
// #cgo nocallback mpi_collect
// #cgo noescape mpi_put
// #cgo nocallback mpi_put
// #cgo noescape mpi_get
// #cgo nocallback mpi_get
// #cgo noescape mpi_flush
// #cgo nocallback mpi_flush
// #include <stdlib.h>
// #include "load.h"
//
// static struct gb_status *mpi_status(void) { return calloc(1, sizeof(struct gb_status)); }
// static const char *mpi_version(void) { return gb_table->version(); }
// static int mpi_start(struct gb_facts *f, struct gb_status *s) { return gb_table->start(f, s); }
// static void mpi_explain(int e, char *text, int room) { gb_table->explain(e, text, room); }
// static int mpi_gather(uintptr_t mine, uintptr_t all, long long n) { return gb_table->gather((void *)mine, (void *)all, n); }
// static int mpi_gathered(int *done) { return gb_table->gathered(done); }
// static int mpi_settle(void) { return gb_table->settle(); }
// static int mpi_finish(void) { return gb_table->finish(); }
// static int mpi_send(int mode, uintptr_t buf, long long n, int dst, int tag, int context)
// { return gb_table->send((enum gb_mode)mode, (void *)buf, n, dst, tag, context); }
// static int mpi_receive(uintptr_t buf, long long n, int src, int tag, int context)
// { return gb_table->receive((void *)buf, n, src, tag, context); }
// /* The result is the slot, or an error as a negative number minus 1. */
// static int mpi_begin_send(int mode, uintptr_t buf, long long n, int dst, int tag, int context)
// { int slot, e = gb_table->begin_send((enum gb_mode)mode, (void *)buf, n, dst, tag, context, &slot); return e ? -1 - e : slot; }
// static int mpi_begin_receive(uintptr_t buf, long long n, int src, int tag, int context)
// { int slot, e = gb_table->begin_receive((void *)buf, n, src, tag, context, &slot); return e ? -1 - e : slot; }
// static int mpi_begin_all(const struct gb_transfer *t, int n, int *slots, int *begun) { return gb_table->begin_all(t, n, slots, begun); }
// static int mpi_test_all(const int *slots, int n, int polls, struct gb_status *s) { return gb_table->test_all(slots, n, polls, s); }
// /* The result is 1 for yes, 0 for no, or an error as a negative number minus 1. */
// static int mpi_test(int slot, int polls) { int done, e = gb_table->test(slot, polls, &done); return e ? -1 - e : done; }
// static int mpi_probe(int src, int tag, int context, int polls)
// { int found, e = gb_table->probe(src, tag, context, polls, &found); return e ? -1 - e : found; }
// /* The result is the slot plus 1, 0 for none, or an error as a negative number minus 1. */
// static int mpi_any(int polls) { int slot, e = gb_table->any(polls, &slot); return e ? -1 - e : slot + 1; }
// static int mpi_cancel(int slot) { return gb_table->cancel(slot); }
// static int mpi_outstanding(void) { return gb_table->outstanding(); }
// static int mpi_pingpong(uintptr_t out, uintptr_t in, long long n, int peer, long long rounds, int first,
//                         uintptr_t at, long long every, long long *left, long long *made, long long most)
// {
//	struct gb_stamps t = {.at = (long long *)at, .every = every, .left = *left, .made = *made, .most = most};
//	int e = gb_table->pingpong((void *)out, (void *)in, n, peer, rounds, first, &t);
//	*left = t.left, *made = t.made;
//	return e;
// }
// static int mpi_group(int context, const int *members, int n)
// { int group, e = gb_table->group(context, members, n, &group); return e ? -1 - e : group; }
// static int mpi_ungroup(int group) { return gb_table->ungroup(group); }
// /* The result is a code, or with starts set the slot, or an error as a negative number minus 1. */
// static int mpi_collect(int group, int operation, uintptr_t send, uintptr_t recv, long long bytes, int root, int in_place, int element, int op, int starts)
// {
//	struct gb_collective c = {.group = group, .operation = (enum gb_operation)operation, .send = (void *)send, .recv = (void *)recv,
//		.bytes = bytes, .root = root, .in_place = in_place, .element = (enum gb_element)element, .op = (enum gb_operator)op};
//	int slot, e = gb_table->collect(&c, starts ? &slot : NULL);
//	return !starts ? e : e ? -1 - e : slot;
// }
// static int mpi_allocate(int group, long long n, uintptr_t *base, struct gb_window **window) { return gb_table->allocate(group, n, (void **)base, window); }
// static int mpi_deallocate(struct gb_window *w) { return gb_table->deallocate(w); }
// static int mpi_unlock(struct gb_window *w) { return gb_table->unlock(w); }
// static int mpi_put(struct gb_window *w, uintptr_t from, long long n, int target, long long offset)
// { return gb_table->put(w, (void *)from, n, target, offset); }
// static int mpi_get(struct gb_window *w, uintptr_t to, long long n, int target, long long offset)
// { return gb_table->get(w, (void *)to, n, target, offset); }
// static int mpi_flush(struct gb_window *w, int target) { return gb_table->flush(w, target); }
// static uintptr_t mpi_alloc(long long n) { return (uintptr_t)gb_table->alloc(n); }
// static void mpi_release(uintptr_t memory) { gb_table->release((void *)memory); }
import "C"

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"gobench/device"
	"gobench/transports/native"
)

//go:embed abi
var objects embed.FS

// Contexts is the number of contexts, from 0.
const Contexts = C.GB_CONTEXTS

// Version returns the version string of the first of the libraries that can be opened, by file
// name.
func Version(names []string) (string, error) {
	var first error
	for _, name := range names {
		l, err := native.Open(native.Private, name)
		if err != nil {
			first = cmp.Or(first, err)
			continue
		}
		defer l.Close()
		if f := l.Function("MPI_Get_library_version"); f != nil {
			if v := C.gb_version(f); v != nil {
				return line(C.GoString(v)), nil
			}
		}
		first = fmt.Errorf("%s has no function MPI_Get_library_version, which MPI 3.0 has", name)
	}
	return "", first
}

// Compiled reports whether this binary has the object for an ABI.
func Compiled(abi string) bool {
	_, err := objects.ReadFile("abi/" + abi + ".so")
	return err == nil
}

// Load opens the first of the libraries that is there, and the object for its ABI.
func Load(abi string, names []string) error {
	if C.gb_table != nil {
		return errors.New("an MPI library is open in this process already")
	}
	object, err := objects.ReadFile("abi/" + abi + ".so")
	if err != nil {
		return fmt.Errorf("this gobench was built without the object for the ABI %s", abi)
	}
	if _, err := native.Open(native.Shared, names...); err != nil {
		return err
	}
	shim, err := fromMemory(object)
	if err != nil { // a kernel or a sandbox without memfd, or that opens no program in memory
		if shim, err = fromFile(object); err != nil {
			return err
		}
	}
	entry := shim.Function("gb_mpi")
	if entry == nil {
		return fmt.Errorf("the object for the ABI %s has no function gb_mpi", abi)
	}
	C.gb_take(entry)
	return nil
}

// fromMemory opens an object in a file without a name.
func fromMemory(object []byte) (*native.Library, error) {
	fd, err := unix.MemfdCreate("gobench-mpi", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	file := os.NewFile(uintptr(fd), "object")
	defer file.Close()
	if _, err := file.Write(object); err != nil {
		return nil, err
	}
	return native.Open(native.Private, fmt.Sprintf("/proc/self/fd/%d", fd))
}

// fromFile opens an object in a temporary file, which it removes.
func fromFile(object []byte) (*native.Library, error) {
	file, err := os.CreateTemp("", "gobench-mpi-*.so")
	if err != nil {
		return nil, fmt.Errorf("a file for the object of the MPI library: %w", err)
	}
	defer os.Remove(file.Name())
	_, err = file.Write(object)
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	return native.Open(native.Private, file.Name())
}

// An Error is a failed call of MPI.
type Error struct {
	Call string
	Text string // of the library
}

func (e *Error) Error() string { return e.Call + ": " + e.Text }

// Check returns the error of a code, nil for 0.
func Check(call string, code int) error {
	if code == 0 {
		return nil
	}
	text := make([]byte, 1024)
	C.mpi_explain(C.int(code), (*C.char)(unsafe.Pointer(&text[0])), C.int(len(text)))
	s, _, _ := strings.Cut(string(text), "\x00")
	return &Error{call, line(s)}
}

// Fault returns the error of a result below 0 of the functions that return numbers.
func Fault(call string, result int) error { return Check(call, -1-result) }

// line joins the lines of a text.
func line(s string) string { return strings.Join(strings.Fields(s), " ") }

// Facts describe the library and this process.
type Facts struct {
	Rank, Size, LocalSize int
	MaxTag                int32
	Thread                string // level of thread support
	Standard              string // version of the standard
	Version               string // of the library
}

// Status describes the message of the last successful Receive, Test or Probe. Its layout equals
// struct gb_status.
type Status struct {
	Size                              int64 // bytes; of a truncated message as far as the library knows
	Source, Tag, Cancelled, Truncated int32
	Error                             int32 // a code of Check; of TestAll
}

var _ = [1]struct{}{}[unsafe.Sizeof(Status{})-unsafe.Sizeof(C.struct_gb_status{})]

// Start starts MPI. All later calls must come from the same thread.
func Start() (Facts, *Status, error) {
	var f C.struct_gb_facts
	s := C.mpi_status()
	if err := Check("MPI_Init_thread", int(C.mpi_start(&f, s))); err != nil {
		return Facts{}, nil, err
	}
	return Facts{
		Rank: int(f.rank), Size: int(f.size), LocalSize: int(f.local_size), MaxTag: int32(f.tag_max),
		Thread:   [...]string{"single", "funneled", "serialized", "multiple"}[f.thread],
		Standard: fmt.Sprintf("%d.%d", f.standard/100, f.standard%100),
		Version:  line(C.GoString(C.mpi_version())),
	}, (*Status)(unsafe.Pointer(s)), nil
}

// address returns where b is. MPI keeps it for as long as the caller keeps b alive and in place,
// which means on the heap: a buffer that the compiler has put on the stack moves with it.
func address(b []byte) C.uintptr_t {
	return C.uintptr_t(uintptr(unsafe.Pointer(unsafe.SliceData(b))))
}

// gathering holds the buffers of Gather, which also keeps them from the stack.
var gathering [2][]byte

// Gather starts to give all ranks the equally long data of all. Both buffers belong to it until
// Gathered reports true.
func Gather(mine, all []byte) error {
	gathering = [2][]byte{mine, all}
	return Check("MPI_Iallgather", int(C.mpi_gather(address(mine), address(all), C.longlong(len(mine)))))
}

// Gathered tests Gather.
func Gathered() (bool, error) {
	var done C.int
	err := Check("MPI_Test", int(C.mpi_gathered(&done)))
	return done != 0, err
}

// Settle discards messages that were sent and never received. It is collective.
func Settle() error { return Check("discarding messages", int(C.mpi_settle())) }

// Finish ends MPI.
func Finish() error { return Check("MPI_Finalize", int(C.mpi_finish())) }

// Mode is the mode of a send.
type Mode int

// Modes of MPI.
const (
	Standard    = Mode(C.GB_STANDARD)
	Synchronous = Mode(C.GB_SYNCHRONOUS)
)

// Send is MPI_Send or MPI_Ssend. The result is a code of Check.
func Send(mode Mode, b []byte, dst int, tag, context int32) int {
	e := C.mpi_send(C.int(mode), address(b), C.longlong(len(b)), C.int(dst), C.int(tag), C.int(context))
	runtime.KeepAlive(b)
	return int(e)
}

// Receive is MPI_Recv. The result is a code of Check.
func Receive(b []byte, src int, tag, context int32) int {
	e := C.mpi_receive(address(b), C.longlong(len(b)), C.int(src), C.int(tag), C.int(context))
	runtime.KeepAlive(b)
	return int(e)
}

// BeginSend is MPI_Isend or MPI_Issend. The result is a slot, or below 0 and of Fault.
func BeginSend(mode Mode, b []byte, dst int, tag, context int32) int {
	return int(C.mpi_begin_send(C.int(mode), address(b), C.longlong(len(b)), C.int(dst), C.int(tag), C.int(context)))
}

// BeginReceive is MPI_Irecv. The result is a slot, or below 0 and of Fault.
func BeginReceive(b []byte, src int, tag, context int32) int {
	return int(C.mpi_begin_receive(address(b), C.longlong(len(b)), C.int(src), C.int(tag), C.int(context)))
}

// A Transfer is an operation of BeginAll. Its layout equals struct gb_transfer.
type Transfer struct {
	buf, bytes                   int64
	Peer, Tag, Context, Receives int32
}

var _ = [1]struct{}{}[unsafe.Sizeof(Transfer{})-unsafe.Sizeof(C.struct_gb_transfer{})]

// Of returns the transfer with b, which the caller keeps alive.
func (t Transfer) Of(b []byte) Transfer {
	t.buf, t.bytes = int64(address(b)), int64(len(b))
	return t
}

// BeginAll begins transfers in order and stores their slots. It returns the number of those that
// it has begun, and the code of Check of the next.
func BeginAll(transfers []Transfer, slots []int32) (begun, code int) {
	var n C.int
	e := C.mpi_begin_all((*C.struct_gb_transfer)(unsafe.Pointer(unsafe.SliceData(transfers))), C.int(len(transfers)), (*C.int)(unsafe.SliceData(slots)), &n)
	return int(n), int(e)
}

// TestAll is Test of all slots but those below 0. Once all are complete it frees them, stores their
// statuses and reports true.
func TestAll(slots []int32, polls int, statuses []Status) bool {
	return C.mpi_test_all((*C.int)(unsafe.SliceData(slots)), C.int(len(slots)), C.int(polls), (*C.struct_gb_status)(unsafe.Pointer(unsafe.SliceData(statuses)))) != 0
}

// Test tests a request at most polls times, or waits in the library if polls is below 0. The
// result is 1 if it is complete, and its slot free, 0 if not, or below 0 and of Fault; then, too,
// the slot is free.
func Test(slot, polls int) int { return int(C.mpi_test(C.int(slot), C.int(polls))) }

// AnyComplete tests all requests, and returns the slot of the first complete one plus 1, 0 if there
// is none, or below 0 an error of Fault.
func AnyComplete(polls int) int { return int(C.mpi_any(C.int(polls))) }

// Probe looks for a message likewise. The result is as of Test.
func Probe(src int, tag, context int32, polls int) int {
	return int(C.mpi_probe(C.int(src), C.int(tag), C.int(context), C.int(polls)))
}

// Cancel is MPI_Cancel. The result is a code of Check.
func Cancel(slot int) int { return int(C.mpi_cancel(C.int(slot))) }

// Outstanding returns the number of requests that Test has not released.
func Outstanding() int { return int(C.mpi_outstanding()) }

// PingPong runs rounds of MPI_Send and MPI_Recv in C; the rank with first begins. The time after
// each every rounds is stored in at[made:]. left and made continue from their values.
func PingPong(out, in []byte, peer, rounds int, first bool, at []int64, every int, left, made *int) int {
	begins := C.int(0)
	if first {
		begins = 1
	}
	l, m := C.longlong(*left), C.longlong(*made)
	e := C.mpi_pingpong(address(out), address(in), C.longlong(len(out)), C.int(peer), C.longlong(rounds), begins,
		C.uintptr_t(uintptr(unsafe.Pointer(unsafe.SliceData(at)))), C.longlong(every), &l, &m, C.longlong(len(at)))
	runtime.KeepAlive(out)
	runtime.KeepAlive(in)
	runtime.KeepAlive(at)
	*left, *made = int(l), int(m)
	return int(e)
}

// Group makes the communicator of some ranks, which call it together, and returns its number. The
// messages for that have context as their tag.
func Group(context int32, members []int32) (int, error) {
	number := int(C.mpi_group(C.int(context), (*C.int)(unsafe.Pointer(unsafe.SliceData(members))), C.int(len(members))))
	if number < 0 {
		return 0, Fault("MPI_Comm_create_group", number)
	}
	return number, nil
}

// Ungroup frees a communicator of Group.
func Ungroup(number int) error { return Check("MPI_Comm_free", int(C.mpi_ungroup(C.int(number)))) }

// A Reduction is an element type and an operator, by their numbers in abi/table.h.
type Reduction struct{ Element, Operator int }

// Collect runs a collective operation in a communicator of Group. The result is a code of Check.
func Collect(group int, c *device.Collective, r Reduction) int { return collect(group, c, r, 0) }

// StartCollect starts one. The result is a slot, or below 0 and of Fault.
func StartCollect(group int, c *device.Collective, r Reduction) int { return collect(group, c, r, 1) }

func collect(group int, c *device.Collective, r Reduction, starts C.int) int {
	inPlace := C.int(0)
	if c.InPlace {
		inPlace = 1
	}
	e := C.mpi_collect(C.int(group), C.int(c.Operation), address(c.Send), address(c.Recv), C.longlong(c.Bytes), C.int(c.Root),
		inPlace, C.int(r.Element), C.int(r.Operator), starts)
	runtime.KeepAlive(c)
	return int(e)
}

// Alloc is MPI_Alloc_mem; nil if there is no memory.
func Alloc(n int) []byte {
	p := C.mpi_alloc(C.longlong(n))
	if p == 0 {
		return nil
	}
	return memory(p, n)
}

// memory returns n bytes of the library.
func memory(p C.uintptr_t, n int) []byte {
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&p))), n)
}

// A Window is a window of MPI.
type Window struct{ w *C.struct_gb_window }

// Allocate makes a window with n zeroed bytes of each rank of a Group, collectively. The window is
// nil if its memory model is not MPI_WIN_UNIFIED.
func Allocate(group, n int) ([]byte, *Window, error) {
	var base C.uintptr_t
	var w Window
	if err := Check("MPI_Win_allocate", int(C.mpi_allocate(C.int(group), C.longlong(n), &base, &w.w))); err != nil || w.w == nil {
		return nil, nil, err
	}
	return memory(base, n), &w, nil
}

// Free frees the window, collectively.
func (w *Window) Free() error { return Check("MPI_Win_free", int(C.mpi_deallocate(w.w))) }

// Unlock is MPI_Win_unlock_all: it completes all puts and gets of a window that remains.
func (w *Window) Unlock() error { return Check("MPI_Win_unlock_all", int(C.mpi_unlock(w.w))) }

// Put is MPI_Put, Get is MPI_Get. The results of the calls that follow are codes of Check, and the
// caller keeps the data alive until Flush.
func (w *Window) Put(b []byte, target, offset int) int {
	return int(C.mpi_put(w.w, address(b), C.longlong(len(b)), C.int(target), C.longlong(offset)))
}

func (w *Window) Get(b []byte, target, offset int) int {
	return int(C.mpi_get(w.w, address(b), C.longlong(len(b)), C.int(target), C.longlong(offset)))
}

// Flush is MPI_Win_flush.
func (w *Window) Flush(target int) int { return int(C.mpi_flush(w.w, C.int(target))) }

// Release frees the memory that begins with b.
func Release(b []byte) { C.mpi_release(address(b)) }
