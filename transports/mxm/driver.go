// Package mxm is the transport over Mellanox MXM 3, the driver "mxm", which follows the device
// mxmdev of the thesis (chapter 4). UCX is its successor (transport ucx).
//
// # Building
//
// The build tag mxm and cgo include it (make build-full). It has its own declarations, because the
// vendor's headers may not be copied. libmxm.so.2 is opened when the program runs. For tests there
// is a libmxm.so.2 of our own over shared memory (emulator), to which LD_LIBRARY_PATH leads;
// records made with it contain "emulated".
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
// A context has 31 bits and a context id of MXM 16, and the library has no place for a message to a
// queue that the receiver has not made. Contexts below 128 have the same queue on all ranks, made
// before they connect. For others every rank numbers its queues itself: before its first message, a
// sender asks the receiver for the number.
//
// MXM keeps the order of the messages of one connection in one queue, and matches receives of a
// queue in the order in which they were posted, with and without a connection. This is MPI's order:
// messages of one sender in one context do not overtake each other, and a receive from AnySource
// takes the message that arrived first. A queue holds one context, so no receive can match
// another's message.
//
// # Puts and gets
//
// Level raw puts and gets in memory that mxm_mem_map has registered. An empty put with a fence,
// which waits until it is written (PUT_SYNC), ends a series of puts.
//
// # Failure
//
// The end of a process on this host is noticed by a pidfd. Errors of requests name the peer.
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
		{Name: "library", Kind: device.Text, Default: "auto", Help: "file of the library; auto is " + library},
		{Name: "wait", Kind: device.Word, Default: "auto", Values: []string{"auto", "spin", "yield"},
			Help: "spin keeps the processor while waiting, yield gives it up; auto yields when ranks outnumber processors"},
		{Name: "loop", Kind: device.Word, Default: "go", Values: []string{"go", "native"},
			Help: "at level raw the ping-pong is called by go for each message, or run by a loop in C (native) as in mxm_perftest"},
	},
}

func init() { device.Register(driver) }
