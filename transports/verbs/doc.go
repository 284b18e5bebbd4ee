// Package verbs is the transport over RDMA verbs, the driver "ibv": InfiniBand, RoCE and iWARP. It
// follows the device ibvdev of the thesis (chapters 2 and 4): a protocol.Wire of reliable connected
// (RC) queue pairs, and for level raw of UC, UD and XRC ones.
//
// # Building
//
// The build tag verbs and cgo include it (make build-verbs), which needs the headers of libibverbs
// and librdmacm. The libraries are opened when the program runs, so the binary starts without them.
// Without the tag the driver is registered, too, and its Probe reports that it is not built in.
//
// # Data path
//
// Package ibv is a thin layer of C. Go calls it once to send a packet and once to receive: while a
// rank waits it polls in C, for a bounded number of polls (protocol.Peeker). On amd64 these two
// calls are plain calls on a stack with a guard page (package stackcall), elsewhere and for
// everything else they are cgo's.
//
//   - There is a queue pair for each peer and rail, and a completion queue for each rail. All
//     buffers of a rail are one registered region. Receive buffers are posted for each peer, or
//     with srq=on in one shared queue.
//   - A packet within the inline limit is sent from one buffer, which is free again immediately. A
//     binary search over the creation of queue pairs determines the limit. Larger packets use
//     buffers of a pool.
//   - One request in many is signalled; its completion covers all before it. The goodbye and later
//     requests are all signalled, so that Close knows when everything has arrived.
//   - A peer may send as many packets ahead as it has credits, one for each receive buffer. The
//     prefix of each packet carries the number of reposted buffers. When half of the credits are
//     due, a packet of its own carries it, for which spare buffers are posted. So the receiver is
//     always ready, which a test verifies by the counters of soft-RoCE.
//
// # Loops of benchmarks
//
// Level raw measures the calls of a Go program: Send and Recv, or one call for each put or get.
// With loop=native the ping-pong, the puts and the gets run in C, including the clock readings, as
// in perftest (protocol.Looper). Such a loop returns to Go after a bounded number of requests, so
// that other peers are served and dead ones detected.
//
// # Services
//
// At level raw the queue pairs may be of UC or UD (option service), as with -c of perftest. UD
// packets are at most as long as the path MTU; their receive buffers have room for the global
// routing header. Lost packets are not retransmitted, so packets carry sequence numbers, and a gap
// ends the connection with an error. Each peer also has one RC queue pair, the control queue. A
// waiting rank uses it to send the number of packets so far, so that the loss of the last ones is
// detected, and to probe whether the peer is alive.
//
// Over XRC (service=xrc) a rank has for each peer an initiator, which sends requests, and a target,
// which receives those of the peer. Targets have no receive queue: each request contains the number
// of the shared receive queue in the peer's XRC domain, which ranks exchange with the numbers of
// the queue pairs. Soft devices do not support XRC, so tests use an emulation over RC
// (directory emulator).
//
// Atomic operations (fetch-and-add, compare-and-swap) are loops of benchmarks like puts and gets.
// With wait=block a waiting rank arms the completion queue, polls once more and sleeps on the
// completion channel.
//
// # Long messages
//
// By RDMA write (rndv=put, the default): RTS, CTS, the data, FIN; by RDMA read (rndv=get): RTS, the
// data, FIN. On networks with immediate data (all but iWARP) it replaces the FIN (notice), which
// leaves two control messages for a write and one for a read. A message longer than the port's
// largest request (or segment) is cut into several. With several devices (device=a+b) long messages
// are striped over them; packets use the first. rails=spread assigns one device to every rank, in
// turn.
//
// # Registered memory
//
// Memory of the device's allocator is registered for as long as it lives. Other memory is
// registered when it is first used, in whole pages, and stays so up to the limit of reg_cache. A
// cached registration pins physical pages and must be dropped when the mapping changes (munmap,
// mremap, or madvise by Go's runtime). userfaultfd(2) reports such changes and blocks the caller
// until they have been read; a thread reads them, and every use of the cache handles them first. A
// change by munmap or mremap is reported when it is done, so other threads may have mapped the
// addresses again: a program that maps, sends and unmaps memory on several threads at a time needs
// reg_cache=0.
// Heap memory that the garbage collector reuses without such a change keeps its pages, so its
// registration stays valid. If the kernel has no userfaultfd, or another rank of the same process
// uses it, memory is registered for each transfer.
//
// # Connecting
//
// With exchange=tcp the ranks exchange LID, GID, queue pair numbers and packet sequence numbers by
// Job.Exchange, and each rank connects its queue pairs. On Ethernet the GID is a RoCE v2 entry with
// an IPv4 address, if there is one, else with an IPv6 address. With exchange=rdmacm, which iWARP
// needs, the lower rank listens and the higher connects, and the private data of the request holds
// a secret of the job. RDMA CM would take the path MTU of the caller's port, so the ranks move its
// queue pairs themselves, with the smaller MTU of both ports. Both work with IPv4 and IPv6. All
// connections are made when the device is opened, or with connect=lazy each with the first message
// of the pair, by RDMA CM. With qps=N, for level raw, each pair of ranks has N queue pairs: puts
// and gets use them in turn, packets use the first.
//
// # Failure
//
// A failed request ends the connection; its error names the peer, the operation and the status by
// its verbs name. A silent peer is probed by an empty RDMA write, which its adapter acknowledges
// while its process lives, even if the process computes and makes no call. The peer is lost when
// the retries are exhausted, after about peer_timeout. (The retry count is 6, because 7 means
// infinite retries on soft-RoCE.) iWARP has no retries, and a write is complete when it has been
// sent, so there a byte is read, and a peer that does not answer for four times peer_timeout is
// lost. An asynchronous event ends the queue pair that it concerns or, if a port stays down, the
// connections to all peers.
//
// Measurements and what was tried are in docs/notes/rdma.md.
package verbs
