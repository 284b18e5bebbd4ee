// Package ofi is the transport over libfabric (OFI), which reaches the networks of AWS (efa), HPE
// Slingshot (cxi) and Omni-Path (psm2, psm3, opx), and verbs;ofi_rxm and tcp.
//
// # Mapping
//
// An endpoint is FI_EP_RDM with FI_TAGGED: the provider matches tags, so this is a device.Device,
// not a wire. Isend is fi_tinject or fi_tsend, Irecv fi_trecv, Iprobe a receive with FI_PEEK.
// Package tagged divides the tag, by the bits that the provider has, acknowledges synchronous
// sends, and turns goodbyes and the end of a peer's process into errors. Level raw is tag matching
// between two ranks with one tag, and fi_write, fi_read and atomic operations, where the provider
// has them.
//
// The option provider names the provider, layers included ("tcp;ofi_rxm"). Another one than was
// asked for is refused. The record holds provider, fabric, domain, the version and the file of the
// library, and all FI_* variables. A provider that demands registered buffers (FI_MR_LOCAL) gets
// every buffer registered for its operation.
//
// # Versions
//
// The versions of libfabric's symbols are layouts of its structs, so functions are looked up with
// the version that belongs to the header of this build (dlvsym).
//
// The seeds' psmdev and mxdev have no package: PSM and MX are gone, psm2, psm3 and opx are
// providers.
//
// The provider shm is refused: with libfabric 1.17 it breaks rules of the conformance suite (order,
// and messages that are lost after a probe).
//
// # What libraries do not do
//
// A send cannot be cancelled. Messages that no receive waits for take memory without a limit. A
// message that is too long for its receive is an error whose size is not known: providers do not
// report it.
package ofi

import (
	"gobench/device"
	"gobench/transports/native"
)

const name = "ofi"

var driver = &native.Driver{
	Transport: name,
	Summary:   "libfabric, by its tag matching: EFA, Slingshot, Omni-Path, verbs, tcp",
	Library:   "libfabric", Needs: "gcc and libfabric-dev",
	Declared: []device.Option{
		{Name: "provider", Kind: device.Text, Default: "auto",
			Help: "provider of libfabric, such as tcp, tcp;ofi_rxm, efa, cxi, psm3; auto leaves the choice to FI_PROVIDER or to libfabric"},
		{Name: "address", Kind: device.Text, Default: "auto",
			Help: "own address that the provider binds to; auto is the loopback address if all ranks are on one host and provider names one of IP (tcp, net, sockets, udp), else the provider's choice"},
		{Name: "wait", Kind: device.Word, Default: "auto", Values: []string{"auto", "spin", "yield"},
			Help: "spin keeps the processor while waiting, yield gives it up; auto yields when ranks outnumber processors"},
		{Name: "loop", Kind: device.Word, Default: "go", Values: []string{"go", "native"},
			Help: "at level raw the ping-pong is called by go for each message, or run by a loop in C (native) as in fi_pingpong"},
	},
}

func init() { device.Register(driver) }
