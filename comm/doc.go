// Package comm implements message passing among the ranks of a job with the semantics of MPI:
// communicators, inter-communicators, groups, Cartesian grids, graphs, typed point-to-point
// messages, collective operations, also among neighbours, and one-sided operations (Window).
//
//	world, err := comm.World(dev, comm.Options{})
//	err = comm.Send(world, []float64{1, 2, 3}, 1, 0)       // on rank 0
//	status, err := comm.Recv(world, data, 0, comm.AnyTag)  // on rank 1
//	err = comm.Allreduce(world, data, sum, op.Sum[float64]())
//
// Communication operations are functions that take the communicator first; queries and constructors
// of communicators (Rank, Dup, Split) are methods. Data are slices of numbers, sent in their memory
// representation without copy or encoding, so all ranks must run on machines with the same byte
// order. Counts are in elements; ranks are numbered in the communicator.
//
// # Collective operations
//
// All ranks of a communicator call them in the same order with matching counts, roots and
// operators. A nil slice means MPI_IN_PLACE where MPI allows it: with a nil send (for scatter, a
// nil recv at the root) the data are already in the other buffer. An empty slice has no elements.
// The vector forms take the counts of all ranks on every rank, as in MPJ, because algorithms
// forward the blocks of other ranks.
//
// Each has a non-blocking form, with the prefix I. WaitAll and WaitAny accept its request like that
// of a message. The operation owns the buffers, but not the counts and displacements, until it is
// complete.
//
// # Errors
//
// An *ArgumentError reports an invalid argument, found before anything was sent. All other errors
// come unchanged from package device or package coll. A *device.PeerError and a
// *device.TruncationError contain the rank in the job, which is the rank in the communicator of
// World; other communicators have their own rank numbers.
//
// If a rank dies, all collective operations of its communicators fail on all of their ranks, if the
// device supports it (device.Binder), and so do point-to-point operations with that rank and, in
// its communicators, receives from AnySource.
//
// # Threads and progress
//
// All communicators over one device belong to one goroutine at a time, as the device does, unless
// Comm.Multiple allows several. Every call that waits for something or tests it progresses messages
// and non-blocking collectives, and serves windows: a rank that waits for a message also advances
// the collectives it has started, on every communicator. Isend, Irecv and Cancel need not progress
// anything.
package comm
