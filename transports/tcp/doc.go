// Package tcp is the transport over TCP sockets: a protocol.Wire of connected
// sockets, and the driver "tcp" that connects the ranks of a job.
//
// # Engines
//
// How a rank waits for its sockets is the option engine, a factor of every measurement.
//
//   - poll: the rank's own thread asks the kernel again and again, by raw system
//     calls on non-blocking sockets. Nothing runs beside it. Up to four peers are
//     read in turn; with more, one ppoll says who has sent something.
//   - net: net.Conn and Go's network poller, with a goroutine that waits for
//     each connection and wakes the rank: the thesis' niodev (readiness selection in
//     a thread of its own).
//   - stream: a blocking socket and a reader with a thread of its own for each
//     connection, while the rank polls for what it has read and yields now and then:
//     the papers' iodev.
//
// All engines share everything else. A read always goes to memory that the rank has
// lent, so the engines with readers copy no more often than poll.
//
// # Stream
//
// A stream is a sequence of frames (frame.go): packets of the protocol, puts and
// an end. A packet is delivered from the buffer into which it was received. A put
// (protocol.RMA) names a registered buffer of the receiver, whose thread reads the
// data from the socket straight into it, and is written from the sender's buffer.
// Handle, offset and length are checked, and a peer that gets them wrong
// is given up. Get and split are not offered, because over TCP the owner of the memory
// has to send it anyway: rndv=get and rndv=split are refused when the device is opened.
//
// Push takes a packet whole or not at all. What the socket does not take at once
// stays in a bounded buffer of the connection, or for a put in the user's memory, and
// every Poll writes some of it and reads as well. So two ranks that send to
// each other never wait for each other.
//
// # Joining
//
// The lower rank of a pair listens, the higher connects, all of it when the device is
// opened. A handshake (handshake.go) with a magic number, a version, the rank and proofs of both sides that they
// know the secret of the job keeps strangers out; each caller is greeted beside
// the others and within a deadline, so that none can hold up the job. Where all
// ranks are on this host and bind is empty, only the loopback interface is listened on.
//
// # Leaving
//
// Close flushes, sends an end frame, shuts its direction down and reads until
// the peers have done the same, for a second at most, because a socket closed with unread
// data answers with a reset that may destroy data under way. A stream that ends
// in any other way is a dead peer. A host that vanishes is noticed within about peer_timeout: by keep-alive
// probes on an idle connection, and otherwise by the time for which retransmissions or
// window probes have found no answer, which Idle reads from the kernel. TCP_USER_TIMEOUT
// is not used: it would also end the connection to a rank that computes for long and
// does not read.
//
// # Defaults, and why
//
// Measured on loopback between two pinned processes of one virtual machine (four
// Zen 3 cores, Linux 6.18, busy with other work, so that only figures of one interleaved run
// may be compared; tenth percentile of half a round trip, median of 5 to 12 launches).
//
//   - 8 bytes: a bare ping-pong in C that polls 6.56 us, level device 6.92, level raw
//     6.83, Open MPI over TCP 8.74. The best of all runs: 4.46, 4.68, 4.66, 5.97.
//   - congestion=auto. The kernel's default on that machine was BBR, which
//     paces by its estimate of the bandwidth. A C program that sends 1 MiB by one
//     write with 4 MiB buffers took 257 us with bbr and 139 with reno. On loopback
//     there is no congestion to control, so where all ranks are on this host auto
//     takes reno, which any user may choose; between hosts it is the kernel's choice.
//   - chunk=1MiB, sndbuf=0, rcvbuf=0. With reno, buffers of 1, 2 and 4 MiB and the
//     kernel's own choice, and chunks from 256 KiB to 4 MiB, all took 150 to 190 us for 1 MiB in one run
//     without an order that repeated; Open MPI 167 in that run and 252 to 306 in others. Below 128 KiB the
//     chunk costs. With BBR 256 KiB and buffers of 1 MiB were the best. The kernel's choice
//     wins a tie: it grows on long lines, and Debian's limit for explicit sizes is 208 KiB.
//   - A put is one system call: header, data and the FIN behind them gathered.
//     Separate writes cost 64 KiB 51 us instead of 42, because each
//     small write runs through the whole stack on the sender's core.
//   - While a receive buffer is registered, at most 1 KiB is read into the
//     connection's buffer, so that the data behind a put's header is not copied.
//   - eager_limit=128KiB. Eager costs one copy more, rendezvous one round trip
//     more: at 64 KiB 20 against 42 us, at 128 KiB 44 against 50, at 256 KiB 90 against 66.
//   - merge=4KiB, iodev's threshold. Up to 8 KiB merging and gathering do
//     not differ measurably; a copy of 32 KiB costs 3 us.
//   - connections=1. Two cost every size about 10 to 25 %: the acknowledgements
//     no longer travel with the data of the other direction.
//
// MSG_ZEROCOPY was not pursued: on loopback the kernel copies anyway.
//
// # Where the time goes with four ranks
//
// Four pinned ranks on the four cores of the machine above, Linux 6.18, patterns of
// collectives written by hand over level device. A profile of a dissemination barrier shows 86 % of the time
// in the kernel: 41 % sends (each takes about 4 us, because on loopback the sender's core runs the
// receiving half of the stack as well), 39 % receives, most of them in vain. Of the rest a third is
// the entry of the system call. So what counts is how many messages a rank sends one after the other:
// an exchange in both directions is cheaper than a ring of one, because acknowledgements
// travel with data (barrier by recursive doubling 10 to 15 % below dissemination), and a
// tree that spreads the sends beats a flat one even for 1 MiB.
//
// Tried, interleaved, and without a gain: asking by ppoll whether a single peer has sent something before
// reading (5 to 10 % slower), pauses of 50 to 500 ns between reads in vain (no
// difference), TCP_QUICKACK off (no difference), fragments of 16 and 32 KiB and rendezvous for 64 KiB (both slower),
// reading an eager packet of 16 KiB and more straight into the buffer of its receive, which needs a
// short read for its header first (64 KiB: 3 % slower to 6 % faster as ping-pong and stream, a scatter 10 %
// slower), and vmsplice with splice instead of a copying send (64 KiB 10 % slower, 4 MiB 20 %:
// the copies of both sides overlap, without the first the second takes as long).
package tcp
