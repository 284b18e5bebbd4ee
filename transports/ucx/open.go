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
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"

	"gobench/device"
	"gobench/transports/native"
	"gobench/transports/native/tagged"
)

const install = "install libucx0"

// settings are the variables that Go needs UCX to have (package documentation).
var settings = map[string]string{
	"UCX_ERROR_SIGNALS": "", "UCX_HANDLE_ERRORS": "none", "UCX_MEM_EVENTS": "n", "UCX_MEM_MMAP_HOOK_MODE": "none",
	"UCX_LOG_FILE": "stderr", "UCX_LOG_LEVEL": "fatal", "UCX_WARN_UNUSED_ENV_VARS": "n",
}

// library is libucp, once it is open.
var library struct {
	sync.Mutex
	file, version string
	asked         map[string]string // UCX_* variables of the user
	err           error
}

// load opens libucp for good: it keeps threads.
func load() error {
	library.Lock()
	defer library.Unlock()
	if library.file != "" || library.err != nil {
		return library.err
	}
	library.asked = map[string]string{}
	for _, v := range os.Environ() {
		if name, value, _ := strings.Cut(v, "="); strings.HasPrefix(name, "UCX_") && settings[name] != value {
			library.asked[name] = value
		}
	}
	for name, value := range settings {
		if _, set := os.LookupEnv(name); !set {
			os.Setenv(name, value)
		}
	}
	library.err = bind()
	return library.err
}

func bind() error {
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
}

// probe opens the library.
func probe() error {
	if err := load(); err != nil {
		return native.Unavailable(name, err, install)
	}
	return nil
}

// A CallError is a call of UCX that has failed.
type CallError struct {
	Call, Text string
}

func (e *CallError) Error() string { return e.Call + ": " + e.Text }

func failed(what *C.char, e C.ucs_status_t) error {
	return &CallError{C.GoString(what), C.GoString(C.explain(C.int(e)))}
}

// A card holds what the other ranks need to connect with this one.
type card struct {
	Address []byte
	Process int
	Failed  string `json:",omitempty"` // why this rank cannot take part
}

// endpoint is an open worker with its connections.
type endpoint struct {
	u    *C.struct_gb_ucx
	mine map[uintptr]mapping // memory of Alloc, by address
}

type mapping struct {
	memory []byte
	handle C.ucp_mem_h
}

// connect opens a worker and connects it to all ranks.
func connect(ctx context.Context, job device.Job, opts device.Options) (tagged.Config, *endpoint, error) {
	var none tagged.Config
	if err := probe(); err != nil {
		return none, nil, err
	}
	several := slices.ContainsFunc(job.Hosts(), func(h int) bool { return h != job.Hosts()[0] })
	peerErrors := opts.Word("errors") == "peer" || opts.Word("errors") == "auto" && (several || !sharesMemory(opts.Word("tls")))
	crowded := opts.Word("wait") == "yield" || opts.Word("wait") == "auto" && job.LocalSize() > runtime.NumCPU()
	tls := opts.Word("tls")
	if tls == "auto" {
		tls = ""
	}
	x := &endpoint{mine: map[uintptr]mapping{}}
	var e C.ucs_status_t
	name := C.CString(tls)
	defer C.free(unsafe.Pointer(name))
	var mine card
	what := C.gb_ucx_open(&x.u, name, C.int(job.Size()), flag(opts.Word("wait") == "event"), flag(peerErrors), &e)
	if what != nil {
		mine.Failed = refusal(failed(what, e), tls)
	} else {
		mine = card{Address: C.GoBytes(unsafe.Pointer(x.u.address), C.int(x.u.address_length)), Process: os.Getpid()}
	}
	all, err := device.Exchange(ctx, job, mine)
	if err != nil {
		x.close()
		return none, nil, err
	}
	for rank, c := range all {
		if c.Failed != "" {
			x.close()
			return none, nil, fmt.Errorf("rank %d: %s", rank, c.Failed)
		}
	}
	for i := range all {
		rank := (job.Rank() + i) % job.Size() // so that not all begin with the same one
		if what := C.gb_ucx_connect(x.u, C.int(rank), unsafe.Pointer(&all[rank].Address[0]), &e); what != nil {
			err := failed(what, e)
			x.close()
			return none, nil, fmt.Errorf("connecting to rank %d: %s", rank, refusal(err, tls))
		}
	}
	processes := make([]int, job.Size())
	for rank, c := range all {
		if job.Hosts()[rank] == job.Hosts()[job.Rank()] && rank != job.Rank() {
			processes[rank] = c.Process
		}
	}
	in := opts.Map()
	in["wait"] = map[bool]string{true: "yield", false: "spin"}[crowded]
	if opts.Word("wait") == "event" {
		in["wait"] = "event"
	}
	in["errors"] = map[bool]string{true: "peer", false: "none"}[peerErrors]
	in["library"] = fmt.Sprintf("UCX %s (%s)", library.version, library.file)
	for name, value := range library.asked {
		in[name] = value
	}
	lanes := x.lanes((job.Rank() + max(1, job.Size()/2)) % job.Size())
	in["lanes"] = lanes
	c := tagged.Config{
		Ops: unsafe.Pointer(&x.u.ops), TagBits: 64, Rank: job.Rank(), Size: job.Size(), Crowded: crowded,
		Peers: tagged.Watch(processes),
		Info: device.Info{
			Transport: "ucx", Options: in, Ranks: "process", Quick: !strings.Contains(lanes, "tcp"),
			Path: func(int) string { return "tag " + lanes },
		},
		Started: func(core unsafe.Pointer) { C.bind_core(x.u, core) },
		Sever:   func(peer int) { C.gb_ucx_sever(x.u, C.int(peer)) },
		Alloc:   x.alloc, Free: x.free, Close: x.close,
	}
	if opts.Word("wait") == "event" {
		c.Sleep = func(milliseconds int) { C.gb_ucx_sleep(x.u, C.int(milliseconds)) }
	}
	return c, x, nil
}

// sharesMemory reports whether UCX may use shared memory under this option or, for auto, under UCX_TLS.
func sharesMemory(tls string) bool {
	if tls == "auto" {
		if tls = os.Getenv("UCX_TLS"); tls == "" {
			return true
		}
	}
	if strings.HasPrefix(tls, "^") {
		return true
	}
	return slices.ContainsFunc(strings.Split(tls, ","), func(t string) bool {
		return slices.Contains([]string{"all", "sm", "shm", "mm", "posix", "sysv", "cma", "knem", "xpmem"}, t)
	})
}

// refusal names what a user can change.
func refusal(err error, tls string) string {
	s := err.Error()
	if tls != "" {
		s += fmt.Sprintf(" (tls=%s; ucx_info -d lists the transports of this machine)", tls)
	}
	return s
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

func (x *endpoint) alloc(n int) ([]byte, error) {
	pages, err := unix.Mmap(-1, 0, max(n, 1), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, fmt.Errorf("allocating %d bytes: %w", n, err)
	}
	var e C.ucs_status_t
	m := mapping{memory: pages}
	if what := C.gb_ucx_map(x.u, unsafe.Pointer(&pages[0]), C.size_t(len(pages)), &m.handle, &e); what != nil {
		unix.Munmap(pages)
		return nil, failed(what, e)
	}
	x.mine[uintptr(unsafe.Pointer(&pages[0]))] = m
	return pages[:n], nil
}

func (x *endpoint) free(b []byte) {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	if m, ok := x.mine[at]; ok {
		delete(x.mine, at)
		C.gb_ucx_unmap(x.u, m.handle)
		unix.Munmap(m.memory)
	}
}

// closePolls bounds the polls in which the connection of a peer is closed.
const closePolls = 100_000

func (x *endpoint) close() {
	if x.u == nil {
		return
	}
	for _, m := range x.mine {
		C.gb_ucx_unmap(x.u, m.handle)
		defer unix.Munmap(m.memory)
	}
	C.gb_ucx_close(x.u, closePolls)
	x.u = nil
}

func open(ctx context.Context, job device.Job, opts device.Options) (device.Device, error) {
	c, _, err := connect(ctx, job, opts)
	if err != nil {
		return nil, err
	}
	return tagged.New(c)
}

func openRaw(ctx context.Context, job device.Job, opts device.Options) (device.Channel, error) {
	c, _, err := connect(ctx, job, opts)
	if err != nil {
		return nil, err
	}
	return tagged.NewRaw(c)
}
