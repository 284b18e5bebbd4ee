// Package verbs is the transport over RDMA verbs, the driver "ibv": InfiniBand, RoCE and iWARP. It is
// the thesis' ibvdev (chapters 2 and 4): a protocol.Wire of reliable connected (RC) queue pairs.
//
// # Building
//
// The build tag verbs and cgo bring it in (make build-verbs); the headers of libibverbs and librdmacm
// are needed then. The libraries are opened when the program runs, so that the binary starts without them.
// Without the tag the driver is there, and says what is missing.
//
// # Data path
//
// Package ibv is a thin layer of C. Go crosses over once to send a packet and once to take what has come:
// waiting is a loop in C for a bounded number of looks (protocol.Peeker and
// protocol.Waiter). On amd64 these two crossings are plain calls on the goroutine's own stack
// (package stackcall), elsewhere and for all else cgo's. With loop=go every look is a call, which shows what a loop in C
// is worth; at level raw the ping-pong stays in C altogether (protocol.Looper), the reading of the clock included, as perftest's does.
//
//   - A queue pair for each peer and rail, one completion queue for each rail. All buffers of a rail are one
//     registered region. Receive buffers are posted for each peer, or with srq=on in one shared queue.
//   - A packet that fits the inline limit goes from one buffer that is free again at once. The limit is
//     found by making queue pairs until one is accepted, halving the interval. Larger packets go from a pool.
//   - Completions of sends are asked for once in a while; one stands for all before it. Only the goodbye
//     asks for its own, so that Close knows when everything has arrived.
//   - A peer may send as many packets ahead as it has credits, one for each receive buffer. What was posted
//     again travels in the prefix of each packet, or alone when half of the credits wait for it; spare buffers take
//     those. So the receiver is always ready, which a test reads from the counters of soft-RoCE.
//
// # Long messages
//
// By RDMA write (rndv=put, the default): RTS, CTS, the data, FIN; by RDMA read (rndv=get): RTS, the data, FIN. Where
// there is immediate data, that is everywhere but on iWARP, it takes the place of the FIN (notice): two control
// messages beside the data for a write, one for a read. A message longer than the port's largest request
// (or segment) goes in several. With several devices (device=a+b) long messages are cut over them;
// packets take the first. rails=spread gives every rank one device in turn instead.
//
// # Registered memory
//
// Memory of the device's allocator is registered for as long as it lives. Other memory is registered
// when it is first used, in whole pages, and stays so up to the limit of reg_cache. Such a registration
// names physical pages, so it has to end when the addresses get others: when they are unmapped or moved, or thrown away
// by madvise, by which Go's runtime gives freed heap back. The kernel tells us by userfaultfd(2), which holds up whoever
// does it until a thread of ours has read that, and every use of the cache looks for news first. Heap
// that the garbage collector frees and uses again without that keeps its pages, and its registration stays right.
// Where the kernel has no userfaultfd, or another rank of the same process watches the memory, it is registered for
// each transfer.
//
// # Connecting
//
// exchange=tcp: the job's own exchange tells LID, GID, queue numbers and packet sequence numbers, and each rank
// brings its queue pairs up. On Ethernet the GID is an entry of RoCE v2 with an IPv4 address, else IPv6.
// exchange=rdmacm, which iWARP needs: the lower rank listens, the higher connects, and the private data of
// the request holds a secret of the job. Both know IPv4 and IPv6. All connections are
// made when the device is opened, or with connect=lazy each with the first message of the pair, by RDMA CM.
// With qps=N, for level raw, each pair has N queue pairs: puts and gets (protocol.Mover) take them in turn, packets the first.
//
// # Failure
//
// A failed request ends the connection; its error names the peer, the operation and the status by its verbs name. A
// peer that has been quiet is asked by an empty RDMA write, which its adapter answers while its process lives, even
// if that computes and makes no call. It is lost when the retries are exhausted: about peer_timeout after. (Retry
// count 6, not 7, because soft-RoCE takes 7 for ever.) iWARP has no such retries, and a write is complete when it has left: there a
// byte is read, and a peer that does not answer for four times peer_timeout is lost. Asynchronous events end what they are about: a queue pair, or,
// when a port stays down, all peers.
package verbs
