// Package ibv is the thin layer over libibverbs and librdmacm on which transports/verbs stands.
// The libraries are opened when the program runs; their headers are needed when it is built,
// which the build tag verbs asks for. Everything that happens for each message is C (rail.h);
// this is its face in Go. It knows queues and buffers, but no ranks and no protocol.
//
// Without the tag, or without cgo, the package is empty.
package ibv
