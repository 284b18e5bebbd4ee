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
//   - stream: a blocking socket and a reader with its own thread for each connection, while
//     the rank polls for what the reader received and yields from time to time. It corresponds to
//     iodev of the papers.
//
// The engines share everything else. Every read stores into memory provided by the rank, so the
// engines with readers copy no more often than poll.
//
// # Stream
//
// A stream is a sequence of frames (frame.go): packets of the protocol, puts and an end. A packet
// is delivered from the buffer into which it was received. A put (protocol.RMA) names a registered
// buffer of the receiver, whose thread reads the data from the socket straight into it, and is
// written from the sender's buffer. Handle, offset and length are checked; a peer that sends wrong
// ones is treated as dead. Get and split are not supported, because over TCP the owner of the
// memory has to send it anyway: with rndv=get or rndv=split, opening the device fails.
//
// A long packet (protocol.Lander) is an eager message of more than a packet. It is transferred like
// a put, but without a round trip before: when its header has arrived, the protocol provides the
// destination, which is the buffer of the matching receive, or memory of the device if there is
// none yet.
//
// Push accepts a whole packet or nothing. Bytes that the socket does not accept now stay in a
// bounded buffer of the connection, or for a put in the user's memory. Every Poll writes some of
// them and also reads, so two ranks that send to each other never deadlock.
//
// # Connecting
//
// The option connect selects when pairs of ranks are connected: all when the device is opened, or
// those of a hypercube then and every other one with its first message. The latter is the default
// for more than 32 ranks, because the time to connect all grows with the square of their number.
// Before a pair is connected, a rank detects the death of the other only if it sends to it, or
// waits for it for a second.
//
// When the device is opened, the higher rank of a pair connects, and if the ranks are on several
// hosts the lower one does, too, after a while. Later either may connect. Package contact has the
// handshake, which excludes other programs, and keeps one connection of those that are made
// concurrently. Between hosts opening ends with an exchange of all ranks, so that all of them name
// a pair that could not be connected. If all ranks are on one host and bind is empty, ranks listen
// on the loopback interface only.
//
// mptcp=on selects Multipath TCP, family=vsock sockets between a virtual machine and its host,
// which package net does not support (family.go), and family=smc Shared Memory Communications.
// Multipath TCP and SMC may silently fall back to TCP; the recorded options show it.
//
// # Closing
//
// Close flushes, sends an end frame, shuts its direction down and reads until the peers have done
// the same, for a second at most, because closing a socket with unread data sends a reset, which
// may destroy data in flight. A stream that ends in any other way is a dead peer. A host that
// vanishes is detected within about peer_timeout: by keep-alive probes on an idle connection, and
// otherwise by the time for which retransmissions or window probes have had no answer, which Idle
// reads from the kernel. TCP_USER_TIMEOUT is not used: it would also end the connection to a rank
// that computes for long and does not read.
//
// The measurements behind the defaults are in docs/notes/tcp.md.
package tcp
