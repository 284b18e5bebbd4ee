// Package sockets has stream connections that use shared memory inside a host and TCP between
// hosts. It replaces net.Dial and net.Listen where both ends are willing, after Java Fast Sockets
// (docs/sources.md): programs keep their net.Conn, and the other end may be a plain socket.
//
//	l, err := sockets.Listen("tcp", ":8080")
//	err = http.Serve(l, handler)
//
//	client := http.Client{Transport: &http.Transport{DialContext: new(sockets.Dialer).DialContext}}
//
// # Choice of the channel
//
// A Listener listens on TCP, and beside it on an abstract Unix socket that is named for the address
// and the port. A Dialer tries that socket first if the address is one of its own host. The kernel
// keeps it inside the network namespace, and vouches for the user and the process at the other end:
// another user's process is refused. Then the channels are tried from the fastest:
//
//   - shared memory: the Dialer sends a memfd, whose size is sealed, and a second socket;
//   - the Unix socket itself, if either side cannot make or map the memory, which both then know;
//   - TCP, if there is no such socket, or anything else goes wrong before the connection exists.
//
// The dialing side of a fast connection has no TCP port. Its address has a number of the connection
// in place of the port.
//
// # Shared memory
//
// Each direction is a ring of bytes with the positions of the writer and the reader, each written
// by one side. A peer may be hostile as far as its user can be: positions are checked when they are
// read, and the memory cannot shrink. A side that finds an impossible state returns ECONNRESET.
//
// A Write of Options.Direct bytes or more is offered to the reader, which copies it from the
// writer's memory with process_vm_readv. If the kernel forbids that, which the handshake tries out,
// or the ring is faster, or the reader has small buffers, or it is away, the data go through the
// ring. A Write that fits the ring waits for the reader while that copies, and at most some
// milliseconds longer.
//
// A side that waits polls for Options.Poll at most, and then sleeps until the peer sends a byte
// over one of the two sockets, which also end when the peer's process ends.
package sockets

import "net"

// Channel returns by which way a connection of this package carries data: "memory", "unix" or
// "tcp".
func Channel(c net.Conn) string {
	switch c.(type) {
	case *Conn:
		return "memory"
	case *unixConn:
		return "unix"
	}
	return "tcp"
}
