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
// has them, as are windows of package comm.
//
// The option provider names the provider with its layers ("tcp;ofi_rxm"). If libfabric selects
// another one, open fails. The record holds provider, fabric, domain, the version and the file of
// the library, and all FI_* variables. A provider that demands registered buffers (FI_MR_LOCAL)
// gets every buffer registered for its operation.
//
// # Versions
//
// The symbol versions of libfabric denote struct layouts, so functions are looked up with the
// version of the header of this build (dlvsym).
//
// PSM and MX, of older middleware, have no package of their own: they are obsolete, and their
// successors psm2, psm3 and opx are providers of libfabric.
//
// The provider shm is refused: with libfabric 1.17 it violates rules of the conformance suite
// (message order, and messages lost after a probe).
//
// # What libraries do not do
//
// A send cannot be cancelled. The memory of unexpected messages has no limit. The error of a
// truncated message has no size, because providers do not report it.
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
		{Name: "provider", Kind: device.Text, Default: "auto", Local: true,
			Help: "provider of libfabric, such as tcp, tcp;ofi_rxm, efa, cxi, psm3; auto = the choice of FI_PROVIDER or of libfabric"},
		{Name: "address", Kind: device.Text, Default: "auto", Local: true,
			Help: "own address that the provider binds to; auto is the loopback address if all ranks are on one host and provider names one of IP (tcp, net, sockets, udp), else the provider's choice"},
		{Name: "wait", Kind: device.Word, Default: "auto", Values: []string{"auto", "spin", "yield"},
			Help: "spin keeps the processor while waiting, yield releases it; auto yields when ranks outnumber processors"},
		{Name: "loop", Kind: device.Word, Default: "go", Values: []string{"go", "native"},
			Help: "ping-pong of level raw: go makes a call for each message, native runs a loop in C as in fi_pingpong"},
	},
}

func init() { device.Register(driver) }
