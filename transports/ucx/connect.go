//go:build ucx && cgo

package ucx

// #cgo CFLAGS: -O2 -Wall -Wextra -Werror
// #include "ucp.h"
// static void version(unsigned *a, unsigned *b, unsigned *c) { ucp.ucp_get_version(a, b, c); }
// static const char *explain(int e) { return ucp_status_string((ucs_status_t)e); }
// static void set_status_string(void *f) { ucp_status_string = f; }
// static const void *names(void) { return ucp_names; }
// static void bind_core(struct gb_ucx *u, void *core) { u->core = core; }
import "C"

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"gobench/device"
	"gobench/transports/native"
	"gobench/transports/native/tagged"
)

const debian = "libucx0" // the package of the library

// settings are the variables that Go needs UCX to have (package documentation).
var settings = map[string]string{
	"UCX_ERROR_SIGNALS": "", "UCX_HANDLE_ERRORS": "none", "UCX_MEM_EVENTS": "n", "UCX_MEM_MMAP_HOOK_MODE": "none",
	"UCX_LOG_FILE": "stderr", "UCX_LOG_LEVEL": "fatal", "UCX_WARN_UNUSED_ENV_VARS": "n",
}

// library is libucp, once it is open.
var library struct {
	file, version string
	asked         map[string]string // UCX_* variables of the user
}

// load opens libucp at the first call, permanently, because the library keeps threads.
var load = sync.OnceValue(func() error {
	library.asked = native.Environment("UCX_", settings)
	l, err := native.Open(native.Private, "libucp.so.0")
	if err != nil {
		return err
	}
	var table C.struct_ucp_table
	names := native.Names(unsafe.Pointer(C.names()))
	if err := l.Bind(unsafe.Pointer(&table), names); err != nil {
		return err
	}
	ucs, err := native.Open(native.Private, "libucs.so.0")
	if err != nil {
		return err
	}
	text := ucs.Function("ucs_status_string")
	if text == nil {
		return native.Older(ucs.File(), "without ucs_status_string", "1.10")
	}
	C.set_status_string(text)
	C.ucp = table
	var major, minor, release C.uint
	C.version(&major, &minor, &release)
	version := fmt.Sprintf("%d.%d.%d", major, minor, release)
	switch {
	case major != C.UCP_API_MAJOR:
		return native.Differs(l.File(), version, fmt.Sprintf("%d.%d", C.UCP_API_MAJOR, C.UCP_API_MINOR))
	case minor < 10:
		return native.Older(l.File(), version, "1.10")
	}
	library.file, library.version = l.File(), version
	return nil
})

// probe opens the library.
func probe() error {
	if err := load(); err != nil {
		return native.Unavailable(name, err, debian)
	}
	return nil
}

func failed(what *C.char, e C.ucs_status_t) error {
	return &tagged.CallError{Call: C.GoString(what), Text: C.GoString(C.explain(C.int(e)))}
}

// A rankAddress holds what the other ranks need to connect with this one.
type rankAddress struct {
	Address []byte
	Process tagged.Process
}

// addressVersion changes whenever the format of addresses or messages does.
const addressVersion = 2

// endpoint is an open worker with its connections.
type endpoint struct {
	u      *C.struct_gb_ucx
	memory tagged.Memory
}

// connect opens a worker and connects it to all ranks.
func connect(ctx context.Context, job device.Job, opts device.Options, features C.uint64_t) (none tagged.Config, err error) {
	if err := probe(); err != nil {
		return none, err
	}
	several := slices.ContainsFunc(job.Hosts(), func(h int) bool { return h != job.Hosts()[0] })
	peerErrors := opts.Word("errors") == "peer" || opts.Word("errors") == "auto" && (several || !sharesMemory(opts.Word("tls")))
	tls := opts.Word("tls")
	if tls == "auto" {
		tls = ""
	}
	x := &endpoint{}
	x.memory.Map, x.memory.Unmap = x.mapPages, x.unmap
	var e C.ucs_status_t
	name := C.CString(tls)
	defer C.free(unsafe.Pointer(name))
	var mine rankAddress
	if opts.Word("wait") == "event" {
		features |= C.UCP_FEATURE_WAKEUP
	}
	what := C.gb_ucx_open(&x.u, name, C.int(job.Size()), features, flag(peerErrors), &e)
	active := features&activeMessages != 0
	if what == nil && active {
		what = C.gb_ucx_messages(x.u, &e)
	}
	if what != nil {
		err = refusal(failed(what, e), tls)
	} else {
		mine = rankAddress{Address: C.GoBytes(unsafe.Pointer(x.u.address), C.int(x.u.address_length)), Process: tagged.Self()}
	}
	all, err := device.Agree(ctx, job, addressVersion, mine, err)
	if err != nil {
		x.close()
		return none, err
	}
	for i := range all {
		rank := (job.Rank() + i) % job.Size() // so that not all begin with the same one
		if what := C.gb_ucx_connect(x.u, C.int(rank), unsafe.Pointer(&all[rank].Address[0]), &e); what != nil {
			err := failed(what, e)
			x.close()
			return none, fmt.Errorf("connecting to rank %d: %w", rank, refusal(err, tls))
		}
	}
	processes := make([]tagged.Process, job.Size())
	for rank, c := range all {
		processes[rank] = c.Process
	}
	in := opts.Map()
	crowded, wait := tagged.Waiting(job, opts.Word("wait"))
	in["wait"] = wait
	in["errors"] = map[bool]string{true: "peer", false: "none"}[peerErrors]
	in["library"] = fmt.Sprintf("UCX %s (%s)", library.version, library.file)
	maps.Copy(in, library.asked)
	lanes := x.lanes((job.Rank() + max(1, job.Size()/2)) % job.Size())
	in["lanes"] = lanes
	c := tagged.Config{
		Ops: unsafe.Pointer(&x.u.ops), TagBits: 64, Synchronous: !peerErrors && !active, // UCX's synchronous sends
		Rank: job.Rank(), Size: job.Size(), Crowded: crowded, Loop: opts.Word("loop") == "native",
		Peers: tagged.Watch(job, processes),
		Info: device.Info{
			Transport: "ucx", Options: in, Ranks: "process", Quick: !strings.Contains(lanes, "tcp"),
			Path: func(int, device.Traffic) string {
				if active {
					return "am " + lanes
				}
				return "tag " + lanes
			},
		},
		Started: func(core unsafe.Pointer) { C.bind_core(x.u, core) },
		Sever:   func(peer int) { C.gb_ucx_sever(x.u, C.int(peer)) },
		Memory:  &x.memory, Remote: x.remote(), Close: x.close,
	}
	if transport := withoutSelf(opts.Word("tls")); transport != "" && !peerErrors {
		c.Echo = func(tag uint64) bool {
			name := C.CString(transport)
			defer C.free(unsafe.Pointer(name))
			return C.gb_ucx_echo(x.u, name, C.uint64_t(tag)) != 0
		}
	}
	if opts.Word("wait") == "event" {
		c.Sleep = func(milliseconds int) { C.gb_ucx_sleep(x.u, C.int(milliseconds)) }
	}
	return c, nil
}

// sharesMemory reports whether UCX may use shared memory under this option or, for auto, under
// UCX_TLS.
func sharesMemory(tls string) bool {
	if tls == "auto" {
		if tls = os.Getenv("UCX_TLS"); tls == "" {
			return true
		}
	}
	if without, ok := strings.CutPrefix(tls, "^"); ok {
		out := strings.Split(without, ",")
		has := func(t string) bool { return slices.Contains(out, t) }
		return !has("all") && !has("sm") && !has("shm") && !has("mm") && !(has("posix") && has("sysv") && has("xpmem"))
	}
	return slices.ContainsFunc(strings.Split(tls, ","), func(t string) bool {
		return slices.Contains([]string{"all", "sm", "shm", "mm", "posix", "sysv", "cma", "knem", "xpmem"}, t)
	})
}

// withoutSelf returns the transports by which a rank reaches its own queue of shared memory as
// other processes do, or "" where there may be none.
func withoutSelf(tls string) string {
	if !sharesMemory(tls) {
		return ""
	}
	if tls == "auto" {
		tls = os.Getenv("UCX_TLS")
	}
	if tls == "" || tls == "all" || strings.HasPrefix(tls, "^") {
		return "sm"
	}
	return strings.Join(slices.DeleteFunc(strings.Split(tls, ","), func(t string) bool { return t == "self" }), ",")
}

// refusal adds a remedy to an error.
func refusal(err error, tls string) error {
	if tls == "" {
		return err
	}
	return fmt.Errorf("%w (tls=%s; ucx_info -d lists the transports of this machine)", err, tls)
}

func flag(b bool) C.int {
	if b {
		return 1
	}
	return 0
}

// lanes names the transports of the connection to a rank, as UCX describes them.
func (x *endpoint) lanes(rank int) string {
	const room = 16 << 10
	text := (*C.char)(C.calloc(1, room))
	defer C.free(unsafe.Pointer(text))
	C.gb_ucx_info(x.u, C.int(rank), text, room)
	var found []string
	for line := range strings.Lines(C.GoString(text)) {
		// "#  lane[0]:  2:posix/memory.0 md[2] -> ..."
		_, rest, ok := strings.Cut(line, "lane[")
		if !ok {
			continue
		}
		for _, word := range strings.Fields(rest) {
			if transport, _, ok := strings.Cut(word, "/"); ok && strings.Contains(transport, ":") {
				_, transport, _ = strings.Cut(transport, ":")
				if !slices.Contains(found, transport) {
					found = append(found, transport)
				}
				break
			}
		}
	}
	if len(found) == 0 {
		return "ucx"
	}
	return strings.Join(found, "+")
}

func (x *endpoint) mapPages(pages []byte) (unsafe.Pointer, error) {
	var handle C.ucp_mem_h
	var e C.ucs_status_t
	if what := C.gb_ucx_map(x.u, unsafe.Pointer(&pages[0]), C.size_t(len(pages)), &handle, &e); what != nil {
		return nil, failed(what, e)
	}
	return unsafe.Pointer(handle), nil
}

func (x *endpoint) unmap(handle unsafe.Pointer) { C.gb_ucx_unmap(x.u, C.ucp_mem_h(handle)) }

// remote returns the calls for memory of peers.
func (x *endpoint) remote() tagged.Remote {
	return tagged.Remote{
		Alone:   func(peer int) bool { return !strings.Contains(x.lanes(peer), "tcp") },
		Expose:  x.expose,
		Alloc:   x.allocate,
		Conceal: x.unmap,
		Import:  x.keyOf,
		Forget:  func(key unsafe.Pointer) { C.gb_ucx_forget(C.ucp_rkey_h(key)) },
		Offers:  func(device.LinkOperation) error { return nil },
	}
}

// expose maps memory, and returns the packed key for peers.
func (x *endpoint) expose(b []byte) (unsafe.Pointer, []byte, error) {
	handle, err := x.mapPages(b)
	if err != nil {
		return nil, nil, err
	}
	packed, err := x.pack(handle, unsafe.Pointer(&b[0]))
	return handle, packed, err
}

// allocate is expose for n new bytes, which conceal frees.
func (x *endpoint) allocate(n int) ([]byte, unsafe.Pointer, []byte, error) {
	var b unsafe.Pointer
	var handle C.ucp_mem_h
	var e C.ucs_status_t
	if what := C.gb_ucx_allocate(x.u, C.size_t(n), &b, &handle, &e); what != nil {
		return nil, nil, nil, failed(what, e)
	}
	packed, err := x.pack(unsafe.Pointer(handle), b)
	return unsafe.Slice((*byte)(b), n), unsafe.Pointer(handle), packed, err
}

// pack returns the key of mapped memory, which begins with its address.
func (x *endpoint) pack(handle, b unsafe.Pointer) ([]byte, error) {
	var packed unsafe.Pointer
	var length C.size_t
	var e C.ucs_status_t
	if what := C.gb_ucx_pack(x.u, C.ucp_mem_h(handle), &packed, &length, &e); what != nil {
		return nil, failed(what, e)
	}
	defer C.gb_ucx_release(packed)
	return append(binary.NativeEndian.AppendUint64(nil, uint64(uintptr(b))), C.GoBytes(packed, C.int(length))...), nil
}

// keyOf unpacks the key of a peer's memory.
func (x *endpoint) keyOf(peer int, packed []byte) (uint64, unsafe.Pointer, error) {
	if len(packed) < 9 {
		return 0, nil, fmt.Errorf("the key of its memory has %d bytes", len(packed))
	}
	var key C.ucp_rkey_h
	var e C.ucs_status_t
	if what := C.gb_ucx_unpack(x.u, C.int(peer), unsafe.Pointer(&packed[8]), &key, &e); what != nil {
		return 0, nil, failed(what, e)
	}
	return binary.NativeEndian.Uint64(packed), unsafe.Pointer(key), nil
}

// closePolls bounds the polls in which the connection of a peer is closed.
const closePolls = 100_000

func (x *endpoint) close() {
	if x.u != nil {
		x.memory.Close(func() { C.gb_ucx_close(x.u, closePolls) })
		x.u = nil
	}
}

// activeMessages is the feature of connect that makes active messages of all messages.
const activeMessages C.uint64_t = C.UCP_FEATURE_AM

func init() {
	driver.Calls = &native.Calls{Look: func(device.Options) error { return probe() }, Connect: open, Link: openRaw}
}

func open(ctx context.Context, job device.Job, opts device.Options) (device.Device, error) {
	c, err := connect(ctx, job, opts, C.UCP_FEATURE_RMA)
	if err != nil {
		return nil, err
	}
	return tagged.New(c)
}

func openRaw(ctx context.Context, job device.Job, opts device.Options) (device.Channel, error) {
	features := C.uint64_t(C.UCP_FEATURE_RMA | C.UCP_FEATURE_AMO64)
	if opts.Word("messages") == "am" {
		features |= activeMessages
	}
	c, err := connect(ctx, job, opts, features)
	if err != nil {
		return nil, err
	}
	return tagged.NewRaw(c)
}
