// Package mxm is the transport over Mellanox MXM 3, the driver "mxm", which follows the device
// mxmdev of the thesis (chapter 4). UCX is its successor (transport ucx).
//
// # Building
//
// The build tag mxm and cgo include it (make build-full). It has its own declarations, because the
// licence of the vendor's headers does not permit copies. libmxm.so.2 is opened when the program
// runs. Tests use an own libmxm.so.2 over shared memory (directory emulator), which LD_LIBRARY_PATH
// selects; records made with it contain "emulated".
//
// # Matching
//
// MXM matches messages itself, so this is a device.Device, not a wire: a send is mxm_req_send, a
// receive mxm_req_recv. MXM has 32 bits of tag with a mask, 16 bits of context id, which name a
// matching queue, and the connection of the sender.
//
//	device               MXM
//	tag, 31 bits         the lower bits of the tag; AnyTag is a mask without them
//	context              a matching queue for each context
//	source               the connection; AnySource is a receive without one
//	synchronous send     the highest bit of the tag, which no receive asks for; package tagged acknowledges
//
// A context has 31 bits, a context id of MXM has 16, and the library cannot store a message for a
// queue that the receiver has not created. Contexts below 128 have the same queue on all ranks,
// created before they connect. For others every rank numbers its queues itself, and a sender
// requests the number from the receiver before its first message.
//
// MXM keeps the order of the messages of one connection in one queue, and matches receives of a
// queue in the order in which they were posted, with and without a connection. This is MPI's order:
// messages of one sender in one context do not overtake each other, and a receive from AnySource
// takes the message that arrived first. A queue holds one context, so no receive can match
// another's message.
//
// # Puts and gets
//
// At level raw, puts and gets access memory registered by mxm_mem_map. A series of puts ends with
// an empty put with a fence, which waits until the data is written (PUT_SYNC).
//
// # Failure
//
// A pidfd detects the end of a process on this host. Errors of requests name the peer.
package mxm

import (
	"gobench/device"
	"gobench/transports/native"
)

const name = "mxm"

// library is the soname of MXM 3.
const library = "libmxm.so.2"

var driver = &native.Driver{
	Transport: name,
	Summary:   "Mellanox MXM 3, by its tag matching; ucx is its successor",
	Library:   "MXM", Needs: "gcc; ucx is the successor of MXM",
	Declared: []device.Option{
		{Name: "library", Kind: device.Text, Default: "auto", Local: true, Help: "file of the library; auto is " + library},
		{Name: "wait", Kind: device.Word, Default: "auto", Values: []string{"auto", "spin", "yield"},
			Help: "spin keeps the processor while waiting, yield releases it; auto yields when ranks outnumber processors"},
		{Name: "loop", Kind: device.Word, Default: "go", Values: []string{"go", "native"},
			Help: "ping-pong of level raw: go makes a call for each message, native runs a loop in C as in mxm_perftest"},
	},
}

func init() { device.Register(driver) }
