//go:build ofi && cgo

package ofi

// #cgo CFLAGS: -O2 -Wall -Wextra -Werror
// #include "fabric.h"
// static const void *names(void) { return fabric_names; }
// static unsigned version(void) { return fabric.fi_version(); }
// static const char *explain(int e) { return fabric.fi_strerror(-e); }
// static void free_info(struct fi_info *i) { fabric.fi_freeinfo(i); }
// static void bind_core(struct gb_ofi *o, void *core) { o->core = core; }
import "C"

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"gobench/device"
	"gobench/transports/native"
	"gobench/transports/native/tagged"
)

const debian = "libfabric1" // the package of the library

// settings are the variables that Go needs libfabric to have: Go maps and unmaps memory without the
// C library, so a cache of registrations by hooks into that would keep pages that are no longer the
// buffer's.
var settings = map[string]string{"FI_MR_CACHE_MONITOR": "disabled"}

// library is libfabric, once it is open.
var library struct {
	file, version string
	asked         map[string]string // FI_* variables, but for settings
}

// load opens libfabric for good, the first time: providers keep threads.
var load = sync.OnceValue(func() error {
	library.asked = native.Environment("FI_", settings)
	l, err := native.Open(native.Private, "libfabric.so.1")
	if err != nil {
		return err
	}
	var table C.struct_fabric_table
	if err := l.Bind(unsafe.Pointer(&table), native.Names(unsafe.Pointer(C.names()))); err != nil {
		return err
	}
	C.fabric = table
	v := C.version()
	version := fmt.Sprintf("%d.%d", v>>16, v&0xffff)
	header := fmt.Sprintf("%d.%d", C.FI_MAJOR_VERSION, C.FI_MINOR_VERSION)
	switch {
	case C.FI_MINOR_VERSION > 17 && version != header:
		return native.Differs(l.File(), version, header)
	case v < C.FI_MAJOR_VERSION<<16|C.FI_MINOR_VERSION:
		return native.Older(l.File(), version, header)
	}
	library.file, library.version = l.File(), version
	return nil
})

// probe opens the library and looks for a provider.
func probe() error {
	if err := load(); err != nil {
		return native.Unavailable(name, err, debian)
	}
	info, err := find("auto", "", messages)
	if err != nil {
		return &device.UnavailableError{Transport: name, Reason: err.Error(), Remedy: "fi_info lists the providers of this machine"}
	}
	C.free_info(info)
	return nil
}

func failed(what string, e C.int) error {
	return &tagged.CallError{Call: what, Text: C.GoString(C.explain(e))}
}

// disordered is the provider that does not keep what this transport needs: with libfabric 1.17 the
// conformance suite loses messages after a probe and finds them out of order.
const disordered = "shm"

// Access to memory of peers that find asks for: the first of these that a provider has.
const (
	atomics  C.int = iota // puts, gets and atomic operations
	copies                // puts and gets
	messages              // none
)

// find finds an endpoint of a provider, with what it has of access to memory, from first on. It
// never takes another provider.
func find(provider, address string, first C.int) (info *C.struct_fi_info, err error) {
	want := provider
	if want == "auto" {
		want = ""
	}
	p, a := C.CString(want), C.CString(address)
	defer C.free(unsafe.Pointer(p))
	defer C.free(unsafe.Pointer(a))
	w := C.CString(disordered)
	defer C.free(unsafe.Pointer(w))
	if want == disordered {
		return nil, fmt.Errorf("provider %s of libfabric %s is refused: it takes a probe for a receive (FI_PEEK), and messages overtake each other; "+
			"transport smem and ucx with tls=posix,cma,self measure shared memory", want, library.version)
	}
	if e := C.gb_ofi_find(p, a, w, first, &info); e != 0 {
		err := failed("fi_getinfo", e)
		if want != "" {
			err = fmt.Errorf("provider %s has no endpoint with tag matching here (%w); fi_info -t FI_EP_RDM lists the providers of this machine", want, err)
		}
		return nil, err
	}
	got := C.GoString(info.fabric_attr.prov_name)
	if want != "" && !slices.Contains(strings.Split(got, ";"), strings.Split(want, ";")[0]) {
		C.free_info(info)
		return nil, fmt.Errorf("libfabric offers provider %s instead of %s", got, want)
	}
	return info, nil
}

// A rankAddress holds what the other ranks need to connect with this one.
type rankAddress struct {
	Address  []byte
	Process  tagged.Process
	Provider string
}

// addressVersion changes whenever the format of addresses or messages does.
const addressVersion = 2

// endpoint is an open endpoint with the addresses of its peers.
type endpoint struct {
	o         *C.struct_gb_ofi
	provider  string
	addresses []rankAddress
	memory    tagged.Memory
}

// named returns the names of the provider, the fabric and the domain.
func named(info *C.struct_fi_info) [3]string {
	return [3]string{C.GoString(info.fabric_attr.prov_name), C.GoString(info.fabric_attr.name), C.GoString(info.domain_attr.name)}
}

// begin opens the endpoint of this rank, with access to memory from first on.
func begin(job device.Job, opts device.Options, first C.int) (*endpoint, error) {
	address := opts.Word("address")
	provider := opts.Word("provider")
	if address == "auto" {
		address = ""
		single := !slices.ContainsFunc(job.Hosts(), func(h int) bool { return h != job.Hosts()[0] })
		if single && (strings.HasPrefix(provider, "tcp") || strings.HasPrefix(provider, "net") || strings.HasPrefix(provider, "sockets") || strings.HasPrefix(provider, "udp")) {
			address = "127.0.0.1"
		}
	}
	info, err := find(provider, address, messages)
	if err != nil {
		return nil, err
	}
	// The choice depends on messages alone, and access to memory is what it has of it.
	if more, err := find(C.GoString(info.fabric_attr.prov_name), address, first); err == nil {
		if named(more) == named(info) {
			info, more = more, info
		}
		C.free_info(more)
	}
	x := &endpoint{provider: C.GoString(info.fabric_attr.prov_name)}
	var e C.int
	if what := C.gb_ofi_open(&x.o, info, C.int(job.Size()), &e); what != nil {
		err := failed(C.GoString(what), e)
		x.close()
		return nil, fmt.Errorf("provider %s: %w", x.provider, err)
	}
	return x, nil
}

// connect opens an endpoint and takes the addresses of all ranks.
func connect(ctx context.Context, job device.Job, opts device.Options, first C.int) (none tagged.Config, err error) {
	// The layer rxm makes completion queues for as many peers as are expected, 256 if nothing is
	// said: more than the queue of a small device, such as soft-RoCE's, may hold. The library is
	// not open yet.
	wanted := map[string]string{"FI_UNIVERSE_SIZE": strconv.Itoa(job.Size())}
	if strings.HasPrefix(opts.Word("provider"), "verbs") {
		// Without it rxm of libfabric 1.17 posts receive buffers to connections that it has closed
		// (docs/notes/ucx-ofi.md).
		wanted["FI_OFI_RXM_USE_SRX"] = "1"
	}
	native.Environment("FI_", wanted)
	if err := probe(); err != nil {
		return none, err
	}
	x, err := begin(job, opts, first)
	var mine rankAddress
	if err != nil {
		x = &endpoint{}
	} else {
		mine = rankAddress{Address: C.GoBytes(unsafe.Pointer(&x.o.address[0]), C.int(x.o.address_length)), Process: tagged.Self(), Provider: x.provider}
	}
	if x.addresses, err = device.Agree(ctx, job, addressVersion, mine, err); err != nil {
		x.close()
		return none, err
	}
	processes := make([]tagged.Process, job.Size())
	for rank, c := range x.addresses {
		var e C.int
		switch {
		case c.Provider != mine.Provider:
			err = errors.Join(err, fmt.Errorf("rank %d has provider %s, and this rank %s", rank, c.Provider, mine.Provider))
		case err == nil:
			if what := C.gb_ofi_connect(x.o, C.int(rank), unsafe.Pointer(&c.Address[0]), &e); what != nil {
				err = fmt.Errorf("connecting to rank %d: %w", rank, failed(C.GoString(what), e))
			}
		}
		processes[rank] = c.Process
	}
	if err != nil {
		x.close()
		return none, err
	}
	in := opts.Map()
	crowded, wait := tagged.Waiting(job, opts.Word("wait"))
	in["wait"] = wait
	in["library"] = fmt.Sprintf("libfabric %s (%s)", library.version, library.file)
	in["provider"] = x.provider
	in["fabric"], in["domain"] = C.GoString(x.o.info.fabric_attr.name), C.GoString(x.o.info.domain_attr.name)
	maps.Copy(in, library.asked)
	return tagged.Config{
		Ops: unsafe.Pointer(&x.o.ops), TagBits: tagBits(uint64(x.o.info.ep_attr.mem_tag_format)),
		Rank: job.Rank(), Size: job.Size(), Crowded: crowded, Loop: opts.Word("loop") == "native",
		Peers: tagged.Watch(job, processes),
		Info: device.Info{
			Transport: name, Options: in, Ranks: "process",
			Path: func(size int, _ device.Traffic) string {
				if C.size_t(size) <= x.o.inject {
					return "inject " + x.provider
				}
				return "tag " + x.provider
			},
		},
		Started: func(core unsafe.Pointer) { C.bind_core(x.o, core) },
		Memory:  &x.memory, Remote: x.remote(), Close: x.close,
	}, nil
}

// remote returns the calls for memory of peers. A key is 8 bytes in memory of C.
func (x *endpoint) remote() tagged.Remote {
	return tagged.Remote{
		Alone:   func(int) bool { return true },
		Expose:  x.expose,
		Conceal: func(handle unsafe.Pointer) { C.gb_ofi_conceal((*C.struct_fid_mr)(handle)) },
		Import: func(_ int, packed []byte) (uint64, unsafe.Pointer, error) {
			if len(packed) != 16 {
				return 0, nil, fmt.Errorf("the key of its memory has %d bytes", len(packed))
			}
			return binary.NativeEndian.Uint64(packed), C.CBytes(packed[8:]), nil
		},
		Forget: func(key unsafe.Pointer) { C.free(key) },
		Offers: x.offers,
	}
}

func (x *endpoint) offers(op device.LinkOperation) error {
	atomic := op == device.LinkFetchAdd || op == device.LinkCompareSwap
	switch caps := x.o.info.caps; {
	case caps&C.FI_RMA == 0:
		return fmt.Errorf("provider %s has no puts and gets (FI_RMA)", x.provider)
	case atomic && caps&C.FI_ATOMIC == 0:
		return fmt.Errorf("provider %s has no atomic operations (FI_ATOMIC)", x.provider)
	case atomic && x.o.local != 0:
		return fmt.Errorf("provider %s wants operands of atomic operations in registered memory, which they are not", x.provider)
	}
	return nil
}

// expose registers memory, and returns the packed key for peers: the address and the key.
func (x *endpoint) expose(b []byte) (unsafe.Pointer, []byte, error) {
	var mr *C.struct_fid_mr
	var address, key C.uint64_t
	var e C.int
	if what := C.gb_ofi_expose(x.o, unsafe.Pointer(&b[0]), C.size_t(len(b)), &mr, &address, &key, &e); what != nil {
		return nil, nil, failed(C.GoString(what), e)
	}
	packed := binary.NativeEndian.AppendUint64(nil, uint64(address))
	return unsafe.Pointer(mr), binary.NativeEndian.AppendUint64(packed, uint64(key)), nil
}

// tagBits returns the number of bits of a tag from the format of a provider: its first bit that is
// set is the highest.
func tagBits(format uint64) int { return bits.Len64(format) }

func (x *endpoint) close() {
	x.memory.Close(func() { C.gb_ofi_close(x.o) })
	x.o = nil
}

func init() {
	driver.Calls = &native.Calls{Look: func(device.Options) error { return probe() }, Connect: open, Link: openRaw}
}

func open(ctx context.Context, job device.Job, opts device.Options) (device.Device, error) {
	c, err := connect(ctx, job, opts, copies)
	if err != nil {
		return nil, err
	}
	return tagged.New(c)
}

func openRaw(ctx context.Context, job device.Job, opts device.Options) (device.Channel, error) {
	c, err := connect(ctx, job, opts, atomics)
	if err != nil {
		return nil, err
	}
	return tagged.NewRaw(c)
}
