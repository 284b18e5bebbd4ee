// Package ibv is a thin layer over libibverbs and librdmacm for transports/verbs. The libraries are
// opened at run time; their headers are needed to build it with the tag verbs. All per-message work
// is done in C (rail.h); this package is the Go interface to it. It manages queues and buffers, but
// has no notion of ranks or the protocol.
//
// Without the tag, or without cgo, the package is empty.
package ibv
