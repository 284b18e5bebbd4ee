// Package smem is the transport of ranks that share memory: processes of one host, or goroutines of
// one process. It corresponds to smdev of the thesis (docs/sources.md).
//
// Every rank receives through a segment of its own, which contains one ring for each peer
// (layout.go, ring.go). A pair also shares a slot that both ranks write alternately (channel.go).
// Between processes the segments are in a memfd, which peers open under /proc/PID/fd, so no named
// file can be left behind and the size of /dev/shm does not matter. Within one address space a
// segment is ordinary memory.
//
// Long messages go through the ring in packets, or are copied once: by process_vm_readv and
// process_vm_writev (cross memory attach, cma.go), directly between goroutines, or directly in
// memory from Alloc, which peers map (region.go). The method depends on the core-to-core latency of
// the two ranks (method.go).
//
// The measurements behind the defaults are in docs/notes/smem.md.
package smem
