// Package verbs is the transport over RDMA verbs, the driver "ibv": InfiniBand, RoCE and iWARP. It
// follows the device ibvdev of the thesis (chapters 2 and 4): a protocol.Wire of reliable connected
// (RC) queue pairs, and for level raw of UC, UD and XRC ones.
//
// # Building
//
// The build tag verbs and cgo include it (make build-verbs), which needs the headers of libibverbs
// and librdmacm. The libraries are opened when the program runs, so that the binary starts without
// them. Without the tag the driver is registered, and its Probe returns what is missing.
//
// # Data path
//
// Package ibv is a thin layer of C. Go calls it once to send a packet and once to receive: while a
// rank waits it polls in C, for a bounded number of polls (protocol.Peeker and protocol.Waiter). On
// amd64 these two calls are plain calls on a stack with a guard page (package stackcall), elsewhere
// and for everything else they are cgo's.
//
//   - There is a queue pair for each peer and rail, and a completion queue for each rail. All
//     buffers of a rail are one registered region. Receive buffers are posted for each peer, or
//     with srq=on in one shared queue.
//   - A packet that fits the inline limit is sent from one buffer that is free again at once. The
//     limit is found by creating queue pairs until one is accepted, halving the interval. Larger
//     packets take buffers of a pool.
//   - One request in many is signalled; its completion stands for all before it. The goodbye and
//     what follows are all signalled, so that Close knows when everything has arrived.
//   - A peer may send as many packets ahead as it has credits, one for each receive buffer. The
//     number of buffers posted again travels in the prefix of each packet, or alone when half of
//     the credits are due; spare buffers take such packets. So the receiver is always ready. A test
//     reads that from the counters of soft-RoCE.
//
// # Loops of benchmarks
//
// Level raw measures the calls of a Go program: Send and Recv, or one call for each put or get.
// With loop=native the ping-pong, the puts and the gets run in C, the reading of the clock
// included, as perftest's do (protocol.Looper). Such a loop returns to Go after a bounded number of
// requests, so that other peers are served and dead ones are noticed.
//
// # Services
//
// At level raw the queue pairs may be of UC or UD (option service), as with -c of perftest. UD
// packets are at most as long as the path MTU; their receive buffers have room for the global
// routing header. Nothing that is lost is repeated, so packets carry their number, and a gap ends
// the connection with an error. Each peer has one queue pair of RC beside them, the control queue.
// A rank that waits sends the number of packets so far by it, so that the loss of the last ones is
// noticed, and asks by it whether the peer is alive.
//
// Over XRC (service=xrc) a rank has for each peer an initiator, which sends requests, and a target,
// which takes the peer's. Targets have no receive queue: each request names the shared one of the
// peer's XRC domain by its number, which ranks exchange with those of the queue pairs. No soft
// device has XRC: the tests run it over an emulation by RC (folder emulator).
//
// Atomic operations (fetch-and-add, compare-and-swap) are loops of benchmarks like puts and gets.
// With wait=block a rank that waits arms the completion queue, looks once more and sleeps on the
// completion channel.
//
// # Long messages
//
// By RDMA write (rndv=put, the default): RTS, CTS, the data, FIN; by RDMA read (rndv=get): RTS, the
// data, FIN. Networks with immediate data, which are all but iWARP, replace the FIN by it (notice):
// two control messages beside the data for a write, one for a read. A message longer than the
// port's largest request (or segment) is cut into several. With several devices (device=a+b) long
// messages are cut over them; packets take the first. rails=spread assigns one device to every
// rank, in turn.
//
// # Registered memory
//
// Memory of the device's allocator is registered for as long as it lives. Other memory is
// registered when it is first used, in whole pages, and stays so up to the limit of reg_cache. A
// cached registration pins physical pages and must be dropped when the mapping changes (munmap,
// mremap, or madvise by Go's runtime). userfaultfd(2) reports such changes and blocks the caller
// until they have been read; a thread reads them, and every use of the cache handles them first.
// Heap that the garbage collector frees and uses again without that keeps its pages, and its
// registration stays valid. Where the kernel has no userfaultfd, or another rank of the same
// process uses it, memory is registered for each transfer.
//
// # Connecting
//
// With exchange=tcp the ranks send each other LID, GID, queue numbers and packet sequence numbers
// by the job's own exchange, and each rank connects its queue pairs. On Ethernet the GID is an
// entry of RoCE v2 with an IPv4 address, else IPv6. With exchange=rdmacm, which iWARP needs, the
// lower rank listens and the higher connects, and the private data of the request holds a secret of
// the job. Both work with IPv4 and IPv6. All connections are made when the device is opened, or
// with connect=lazy each with the first message of the pair, by RDMA CM. With qps=N, for level raw,
// each pair has N queue pairs: puts and gets take them in turn, packets the first.
//
// # Failure
//
// A failed request ends the connection; its error names the peer, the operation and the status by
// its verbs name. A peer from which nothing has come for a while gets an empty RDMA write, which
// its adapter acknowledges while its process lives, even if that computes and makes no call. It is
// lost when the retries are exhausted, after about peer_timeout. (The retry count is 6, because
// soft-RoCE takes 7 for ever.) iWARP has no such retries, and a write is complete when it has left:
// there a byte is read, and a peer that does not answer for four times peer_timeout is lost.
// Asynchronous events end what they concern: a queue pair, or, when a port stays down, all peers.
//
// Measurements and what was tried are in docs/notes/rdma.md.
package verbs
