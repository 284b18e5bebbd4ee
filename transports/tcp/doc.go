// Package tcp is the transport over TCP sockets, on one host or between hosts.
//
// # Engines
//
// The option engine selects how a rank waits for its sockets. It is a factor of every measurement.
//
//   - poll: the rank's own thread polls non-blocking sockets by raw system calls. No other thread
//     is involved. Up to four peers are read in turn; with more, one ppoll selects those that have
//     sent something, or one call of epoll once the rank has slept.
//   - net: net.Conn and Go's network poller, with a goroutine per connection that reads and wakes
//     the rank. It corresponds to niodev of the thesis (readiness selection in a thread of its
//     own).
//   - stream: a blocking socket and a reader with a thread of its own for each connection, while
//     the rank polls for what the reader received and yields now and then. It corresponds to iodev
//     of the papers.
//
// The engines share everything else. A read always goes to memory that the rank has lent, so the
// engines with readers copy no more often than poll.
//
// # Stream
//
// A stream is a sequence of frames (frame.go): packets of the protocol, puts and an end. A packet
// is delivered from the buffer into which it was received. A put (protocol.RMA) names a registered
// buffer of the receiver, whose thread reads the data from the socket straight into it, and is
// written from the sender's buffer. Handle, offset and length are checked; a peer that sends wrong
// ones is treated as dead. Get and split are not offered, because over TCP the owner of the memory
// has to send it anyway: rndv=get and rndv=split are refused when the device is opened.
//
// A long packet (protocol.Lander) is an eager message of more than a packet. It moves as a put
// does, but without a round trip before: when its header has arrived, the protocol says where the
// data go, which are the buffer of the receive, or memory of the device until there is one.
//
// Push takes a packet whole or not at all. Bytes that the socket does not take at once stay in a
// bounded buffer of the connection, or for a put in the user's memory, and every Poll writes some
// of them and reads as well. So two ranks that send to each other never deadlock.
//
// # Connecting
//
// The option connect selects when pairs of ranks are connected: all when the device is opened, or
// those of a hypercube then and every other one with its first message. The latter is the default
// for more than 32 ranks, because opening takes a time that grows with their square. Before a pair
// is connected, a rank does not notice the death of the other unless it sends to it, or waits for
// it for a second.
//
// When the device is opened, the lower rank of a pair listens and the higher connects. Later either
// may connect; if both do at once, the connection of the higher is kept (contact.go). A handshake
// (handshake.go) with a magic number, a version, the rank and proofs of both sides that they know
// the secret of the job excludes other programs. Handshakes run concurrently and within a deadline,
// so that none can delay the job. If all ranks are on one host and bind is empty, only the loopback
// interface is listened on.
//
// With mptcp=on the sockets are those of Multipath TCP, with family=vsock those between a virtual
// machine and its host, which package net does not know (vsock.go), and with family=smc those of
// Shared Memory Communications. Multipath TCP and SMC fall back to TCP silently; the options in
// force say so.
//
// # Closing
//
// Close flushes, sends an end frame, shuts its direction down and reads until the peers have done
// the same, for a second at most, because a socket closed with unread data answers with a reset
// that may destroy data under way. A stream that ends in any other way is a dead peer. A host that
// vanishes is detected within about peer_timeout: by keep-alive probes on an idle connection, and
// otherwise by the time for which retransmissions or window probes have had no answer, which Idle
// reads from the kernel. TCP_USER_TIMEOUT is not used: it would also end the connection to a rank
// that computes for long and does not read.
//
// The measurements behind the defaults are in docs/notes/tcp.md.
package tcp
