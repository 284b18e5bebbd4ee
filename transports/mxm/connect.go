//go:build mxm && cgo

package mxm

// #cgo CFLAGS: -O2 -std=gnu11 -Wall -Wextra -Werror
// #include "mxm.h"
// static unsigned long version(void) { return mxm.mxm_get_version(); }
// static const char *explain(mxm_error_t e) { return mxm.mxm_error_string(e); }
// static void bind_core(struct gb_mxm *x, void *core) { x->core = core; }
import "C"

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"os"
	"strings"
	"sync"
	"unsafe"

	"gobench/device"
	"gobench/transports/native"
	"gobench/transports/native/tagged"
)

// loaded is the library that is open, once name, the option that has selected it, is not empty.
var loaded struct {
	sync.Mutex
	name, file, version string
	emulated            bool
}

// load opens the library that the option names at the first call, permanently. Later calls must
// name the same.
func load(opts device.Options) error {
	file := opts.Word("library")
	if file == "auto" {
		file = library
	}
	loaded.Lock()
	defer loaded.Unlock()
	if loaded.name == file {
		return nil
	} else if loaded.name != "" {
		return native.Another(loaded.name, file)
	}
	l, err := native.Open(native.Private, file)
	if err != nil {
		return err
	}
	if err := l.Bind(unsafe.Pointer(&C.mxm), native.Names(unsafe.Pointer(C.gb_mxm_names()))); err != nil {
		l.Close()
		return err
	}
	v := uint64(C.version())
	version := fmt.Sprintf("%d.%d", v>>24, v>>16&0xff)
	if v>>24 != 3 {
		l.Close()
		if v>>24 < 3 {
			return native.Older(l.File(), version, "3.0")
		}
		return native.Differs(l.File(), version, "3")
	}
	loaded.name, loaded.file, loaded.version, loaded.emulated = file, l.File(), version, C.mxm.emulated != nil
	return nil
}

// functionNames returns the names of the library's functions that gobench calls.
func functionNames() []string {
	names := native.Names(unsafe.Pointer(C.gb_mxm_names()))
	return names[:len(names)-2] // mxm_empty_mem_key is data, and mxm_emulated is the emulator's
}

func explainLoad(err error) error {
	return native.Unavailable(name, err, "MXM of Mellanox OFED or HPC-X, up to version 2.0")
}

func probe(opts device.Options) error {
	if err := load(opts); err != nil {
		return explainLoad(err)
	}
	return nil
}

func failed(what *C.char, e C.mxm_error_t) error {
	return &tagged.CallError{Call: C.GoString(what), Text: C.GoString(C.explain(e))}
}

// A rankAddress holds what the other ranks need to connect with this one.
type rankAddress struct {
	Address []byte `json:",omitempty"`
	Process tagged.Process
}

// addressVersion changes whenever the format of addresses or messages does.
const addressVersion = 2

// contextBits returns the bits of a context in the 64 of a tag of package tagged.
func contextBits(sourceBits int) int { return min(64-1-C.GB_TAG_BITS-sourceBits, 31) }

// endpoint is an open endpoint with its connections.
type endpoint struct {
	x      *C.struct_gb_mxm
	memory tagged.Memory
}

func init() { driver.Calls = &native.Calls{Look: probe, Connect: open, Link: openRaw} }

func open(ctx context.Context, job device.Job, opts device.Options) (device.Device, error) {
	d, err := begin(ctx, job, opts, tagged.New)
	if err != nil {
		return nil, err
	}
	return d, nil
}

func openRaw(ctx context.Context, job device.Job, opts device.Options) (device.Channel, error) {
	return begin(ctx, job, opts, tagged.NewRaw)
}

// begin connects all ranks and returns the channel. No rank sends before all are connected.
func begin[C device.Channel](ctx context.Context, job device.Job, opts device.Options, newChannel func(tagged.Config) (C, error)) (none C, err error) {
	sourceBits := max(1, bits.Len(uint(job.Size()-1)))
	p := &endpoint{}
	var e C.mxm_error_t
	var mine rankAddress
	err = load(opts)
	if err != nil {
		err = explainLoad(err)
	} else if what := C.gb_mxm_open(&p.x, C.int(job.Size()), C.int(C.GB_TAG_BITS+sourceBits), C.int(C.GB_TAG_BITS+sourceBits+contextBits(sourceBits)), &e); what != nil {
		err = failed(what, e)
	} else {
		mine = rankAddress{Address: C.GoBytes(unsafe.Pointer(&p.x.address[0]), C.int(p.x.address_length)), Process: tagged.Self()}
	}
	all, err := device.Agree(ctx, job, addressVersion, mine, err)
	if err != nil {
		p.close()
		return none, err
	}
	var made C
	if err = p.connect(job, all); err == nil {
		made, err = newChannel(p.config(job, opts, all))
	}
	own := err
	// No rank sends, or closes, before all are connected.
	if _, err = device.Agree(ctx, job, addressVersion, rankAddress{}, own); err != nil {
		if own == nil {
			made.Close()
		}
		p.close()
		return none, err
	}
	return made, nil
}

// connect connects with all ranks.
func (p *endpoint) connect(job device.Job, all []rankAddress) error {
	var e C.mxm_error_t
	for i := range all {
		rank := (job.Rank() + i) % job.Size() // so that not all begin with the same one
		if what := C.gb_mxm_connect(p.x, C.int(rank), unsafe.Pointer(&all[rank].Address[0]), &e); what != nil {
			return &device.PeerError{Rank: rank, Cause: failed(what, e).Error()}
		}
	}
	return nil
}

func (p *endpoint) config(job device.Job, opts device.Options, all []rankAddress) tagged.Config {
	processes := make([]tagged.Process, job.Size())
	for rank, c := range all {
		processes[rank] = c.Process
	}
	in := opts.Map()
	crowded, wait := tagged.Waiting(job, opts.Word("wait"))
	in["wait"] = wait
	in["library"] = fmt.Sprintf("%s, MXM %s", loaded.file, loaded.version)
	var warnings []string
	if loaded.emulated {
		in["library"] += ", emulated"
		warnings = append(warnings, "The library "+loaded.file+" is an emulator of MXM: its times say nothing about a Mellanox network.")
	}
	for _, v := range os.Environ() {
		if name, value, _ := strings.Cut(v, "="); strings.HasPrefix(name, "MXM_") {
			in[name] = value
		}
	}
	return tagged.Config{
		Ops: unsafe.Pointer(&p.x.ops), TagBits: 64,
		Rank: job.Rank(), Size: job.Size(), Crowded: crowded, Loop: opts.Word("loop") == "native", Peers: tagged.Watch(job, processes),
		Info: device.Info{
			Transport: name, Options: in, Ranks: "process", Warnings: warnings, Quick: loaded.emulated,
			Path: func(int, device.Traffic) string { return "mxm" },
		},
		Sever:   func(peer int) { C.gb_mxm_sever(p.x, C.int(peer)) },
		Started: func(core unsafe.Pointer) { C.bind_core(p.x, core) },
		Memory:  &p.memory, Close: p.close,
		Remote: p.remote(),
	}
}

// remote returns the calls of level raw for memory of peers. A key is in memory of C.
func (p *endpoint) remote() tagged.Remote {
	return tagged.Remote{
		Expose:  p.expose,
		Conceal: func(handle unsafe.Pointer) { C.gb_mxm_conceal(p.x, (*C.struct_gb_region)(handle)) },
		Import: func(_ int, packed []byte) (uint64, unsafe.Pointer, error) {
			if len(packed) != C.sizeof_struct_gb_region {
				return 0, nil, fmt.Errorf("the key of its memory has %d bytes", len(packed))
			}
			r := (*C.struct_gb_region)(unsafe.Pointer(&packed[0]))
			return uint64(uintptr(r.address)), C.CBytes(packed[unsafe.Offsetof(r.key):]), nil
		},
		Forget: func(key unsafe.Pointer) { C.free(key) },
		Offers: func(op device.LinkOperation) error {
			switch op {
			case device.LinkPutPong:
				return errors.New("MXM does not promise that the last byte of a put is written last")
			case device.LinkFetchAdd, device.LinkCompareSwap:
				return fmt.Errorf("where MXM takes the operands of %v is not known", op)
			}
			return nil
		},
	}
}

// expose registers memory. Its packed key is the region, of which peers use address and key.
func (p *endpoint) expose(b []byte) (unsafe.Pointer, []byte, error) {
	var r *C.struct_gb_region
	var e C.mxm_error_t
	if what := C.gb_mxm_expose(p.x, unsafe.Pointer(&b[0]), C.size_t(len(b)), &r, &e); what != nil {
		return nil, nil, failed(what, e)
	}
	return unsafe.Pointer(r), C.GoBytes(unsafe.Pointer(r), C.sizeof_struct_gb_region), nil
}

func (p *endpoint) close() {
	if p.x != nil {
		p.memory.Close(func() { C.gb_mxm_close(p.x) })
		p.x = nil
	}
}
