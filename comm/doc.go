// Package comm is message passing among the ranks of a job: communicators,
// groups, Cartesian grids, typed point-to-point messages and collective
// operations, with the meanings of MPI.
//
//	world, err := comm.World(dev, comm.Options{})
//	err = comm.Send(world, []float64{1, 2, 3}, 1, 0)       // on rank 0
//	status, err := comm.Recv(world, data, 0, comm.AnyTag)  // on rank 1
//	err = comm.Allreduce(world, data, sum, op.Sum[float64]())
//
// What communicates is a function that takes the communicator first; what a
// communicator is and what it becomes (Rank, Dup, Split) are methods. Data are
// slices of numbers, which travel as they lie in memory: nothing is copied or
// encoded, so all ranks run on machines of one byte order. Counts are in
// elements, ranks are those of the communicator.
//
// # Collective operations
//
// All ranks of a communicator call them in the same order with counts, roots and
// operators that agree. A nil slice stands for MPI_IN_PLACE where MPI has that: in
// place of send (of scatter: in place of the root's recv) it says that the data
// lie in the other buffer already. An empty slice is no elements; where there are
// none, nil is the same. The vector forms take the counts of all ranks on every
// rank, as in MPJ, because algorithms pass on what belongs to others.
//
// Each has a non-blocking form with an I before its name. Its request is like
// that of a message: WaitAll and WaitAny take both. The buffers belong to the
// operation until it is complete, counts and displacements do not.
//
// # Errors
//
// An *ArgumentError is a caller's mistake that was found before anything was
// sent. All other errors are the device's (package device says which) or those
// of package coll, as they are. A *device.PeerError and a
// *device.TruncationError name the rank of the job, which is the rank in the
// communicator of World; other communicators number their ranks anew.
//
// A rank that dies breaks every collective operation of every communicator it is in
// on all of its ranks, where the device can tell (device.Binder), and those
// point-to-point operations that need it.
//
// # Threads and progress
//
// All communicators over one device belong to one goroutine at a time, as the
// device does. Messages and non-blocking collectives move on inside the calls of
// this package, whichever these are: a rank that waits for a message also does its
// part in the collectives it has started, on every communicator.
package comm
