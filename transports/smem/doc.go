// Package smem is the transport of ranks that share memory: processes of one host, or goroutines of
// one process. It corresponds to smdev of the thesis (docs/sources.md).
//
// Every rank receives through its own segment, which contains one ring for each peer
// (layout.go, ring.go). A pair also shares a slot that both ranks write alternately (channel.go).
// Between processes the segments are in a memfd, which peers open under /proc/PID/fd, so no named
// file can be left behind and the size of /dev/shm does not matter; ranks that cannot open it, as
// in another user namespace, share a file there (fence.go). Within one address space a segment is
// ordinary memory.
//
// Long messages go through the ring in packets, or are copied once: by process_vm_readv and
// process_vm_writev (cross memory attach, rma.go), directly between goroutines, or directly in
// memory from Alloc, which peers map (region.go). The method depends on the core-to-core latency of
// the two ranks (method.go).
//
// # The path of a small packet
//
// Push writes header and data into the next slot of the peer's ring, or into the slot of the pair
// if it is this rank's turn, and then the publication word: one cache line for up to 32 bytes. The
// peer polls that word (Peek), finds it, and hands the data to the protocol in place (Pop). No
// lock, no system call and no other line is involved, except that the consumer returns room a
// quarter of the ring at a time. Where ranks may sleep, a push also sets the sender's mark in the
// peer's segment and reads its bell (block.go).
//
// # The path of a long message
//
// The protocol asks for the route (Route): by size, by the kind of traffic, and by whether both
// buffers can be reached. Keys name memory (Register); Put and Get copy it by this rank's core, a
// chunk in each Poll (rma.go). Pipelined data are packets as above, whose data go whole into the
// data ring, by the copy routine that was the fastest at that distance when the host was tried
// (trial.go, way.go).
//
// # Failure
//
// What a rank has written stays where it is when its process ends, and nobody holds a lock. So its
// peers deliver everything that it has pushed, and then report it (failure.go). All that comes from
// a peer is checked before it is used: words of rings, positions, lengths, keys, names of regions.
// A peer that breaks the layout is reported, and touched no more.
//
// The measurements behind the defaults are in docs/notes/smem.md.
package smem
