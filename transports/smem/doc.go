// Package smem is the transport of ranks that share memory: processes of one
// host, or goroutines of one process (the thesis' smdev).
//
// Every rank receives through a segment of its own, which holds one ring for
// each peer (layout.go, ring.go). Between processes a segment is a memfd that
// peers open under /proc/PID/fd, so nothing has a name that could stay behind,
// and the size of /dev/shm does not matter; in one address space it is ordinary
// memory. Long messages go through the ring in packets, or are copied once: by
// process_vm_readv and process_vm_writev (cma.go), directly between goroutines,
// or directly in memory from Alloc, which peers map (region.go).
//
// # Measured
//
// On a 4-vCPU virtual machine (Zen 3) shared with other load, under SCHED_FIFO
// so that the load did not take the processors away. BenchmarkWire and
// BenchmarkDevice calibrate the core latency around every block
// and report each state apart: near (one line about 31 ns one way), mid (75) and
// far (240). Half round trip in ns, median of blocks, best launch of each state:
//
//	                    near   mid   far
//	wire    8 B           54    93   310
//	device  8 B          109   122   343
//	wire    1 KiB        132   185   639
//	device  1 KiB        190   228   730
//	device 64 KiB       3215  2825 14100
//
// What decided the defaults:
//
//   - The ring of 1 MiB: in the state mid a pipelined copy of 1 MiB ran at 11-15
//     GB/s through a ring of 64 KiB, 18 through 256 KiB, and 23-25 through 512 KiB
//     and 1 MiB. A line that has left the reader's cache is cheaper to write again.
//     Near, smaller rings are about as good or slightly better (20 GB/s at 128 and
//     256 KiB, 18 at 1 MiB, from one or two launches each).
//   - 256 slots: 16 KiB stay in the nearest caches, and no more packets need to
//     be under way.
//   - Ring against CMA, by size and core latency: method.go.
//   - release.Store in assembly instead of a plain store or XCHG: a plain store
//     measured the same within the noise, so the reason for it is the memory
//     model and not speed. XCHG was not timed.
package smem
