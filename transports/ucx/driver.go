// Package ucx is the transport over UCX, the successor of MXM: InfiniBand and RoCE (rc, ud, dc),
// shared memory (posix, sysv, cma), TCP, and what else the installed library has.
//
// # Mapping
//
// UCX matches tags itself, so this is a device.Device, not a wire: Isend and Irecv are
// ucp_tag_send_nbx and ucp_tag_recv_nbx, Iprobe is ucp_tag_probe_nb. Package tagged divides the 64
// bits of a tag, acknowledges synchronous sends, and turns goodbyes and the end of a peer's process
// into errors. Level raw is tag matching between two ranks with one tag, or active messages, and
// ucp_put_nbx, ucp_get_nbx and ucp_atomic_op_nbx on memory of the peer, as are windows of package
// comm.
//
// The transports inside UCX are chosen by the option tls, else by UCX_TLS, else by UCX. The record
// holds the choice, the version and the file of the library, and all UCX_* variables.
//
// # Peers that die
//
// On one host a pidfd detects the end of a process. UCX's error handling
// (UCP_ERR_HANDLING_MODE_PEER) is used if ranks are on several hosts or tls has no shared memory;
// shared memory of UCX 1.13 does not support it and refuses to connect. Without it, a closed TCP
// connection may end the process by an assertion of UCX.
//
// A process that is killed while it writes into the queue of another one, in UCX's shared memory,
// blocks that queue for good. A rank whose peer has died therefore sends a message to itself
// through its own queue; if it does not come within 2 s, all peers are lost.
//
// # What UCX does not do
//
// A message that is longer than the buffer of its receive is dropped, and the buffer stays as it
// was; the error and the size are as in the contract. A send cannot be cancelled. The memory of
// unexpected messages has no limit.
//
// # Settings of the library
//
// UCX is configured not to handle signals (Go needs SIGSEGV), not to cache registrations by hooks
// into the C library (Go maps and unmaps memory without the C library, so cached registrations
// would refer to stale pages), and to log to standard error. Variables set by the user take
// precedence.
package ucx

import (
	"gobench/device"
	"gobench/transports/native"
)

const name = "ucx"

var driver = &native.Driver{
	Transport: name,
	Summary:   "UCX, by its tag matching: InfiniBand, RoCE, shared memory, TCP",
	Library:   "UCX", Needs: "gcc and libucx-dev",
	Declared: []device.Option{
		{Name: "tls", Kind: device.Text, Default: "auto", Local: true,
			Help: "transports that UCX may use, as in UCX_TLS, such as posix,cma or tcp; auto = the choice of UCX_TLS or of UCX"},
		{Name: "wait", Kind: device.Word, Default: "auto", Values: []string{"auto", "spin", "yield", "event"},
			Help: "spin keeps the processor while waiting, yield releases it, event sleeps until UCX wakes it up; auto yields when ranks outnumber processors"},
		{Name: "errors", Kind: device.Word, Default: "auto", Values: []string{"auto", "none", "peer"},
			Help: "UCX's handling of lost peers: none, or by endpoint (peer), which shared memory may lack; auto is peer between hosts and where tls has no shared memory"},
		{Name: "messages", Kind: device.Word, Default: "tag", Values: []string{"tag", "am"},
			Help: "messages of level raw: UCX's tag matching, or active messages (am), which are matched in order of arrival"},
		{Name: "loop", Kind: device.Word, Default: "go", Values: []string{"go", "native"},
			Help: "ping-pong of level raw: go makes a call for each message, native runs a loop in C as in ucx_perftest"},
	},
}

func init() { device.Register(driver) }
