// Package mpi is the transport over an MPI library, the driver "mpi". It measures the
// point-to-point calls of any MPI under the rules of gobench.
//
// # Building
//
// The build tag mpi and cgo include it (make build-mpi). The library is opened when the program
// runs, so one binary serves all libraries of three binary interfaces (ABIs): that of Open MPI 4
// and 5, that of MPICH, which Intel MPI, MVAPICH and Cray MPICH share, and the standard ABI of MPI
// 5.0 (libmpi_abi.so). The functions that depend on the ABI are one source in C (library/abi/*.c),
// compiled for each and embedded in the binary. The header for the standard ABI is
// library/abi/standard/mpi.h; it was compared with that of the MPI Forum.
//
// # Ranks
//
// Ranks are numbered as in MPI_COMM_WORLD: the launcher of the library starts them (device.Joiner),
// and ranks exchange their data by MPI. The variables of the launcher decide which library is
// opened: the one with the launcher's own ABI or, if there is none, libmpi_abi.so.
// GOBENCH_MPI_ABI=own or standard allows only one of them. Under the launcher of another library
// each rank would be a separate job; that is an error.
//
// # Mapping
//
//   - Contexts are communicators, 256 duplicates of MPI_COMM_WORLD made at the start, and not bits
//     of the tag: MPI_TAG_UB leaves MPICH 28 bits and may leave 15, and MPI_ANY_TAG must not match
//     across contexts. Making one when it is first used would be collective, which a send is not.
//     device.Info has the largest tag and context; communicators and collectives respect them.
//   - Isend, Issend, Irecv, Iprobe, Test and Cancel are the MPI calls of that name, Peek is
//     MPI_Testany. Send, Ssend, Recv, Probe and Wait are the blocking calls, except with
//     wait=yield: then ranks test and yield the processor, which blocking calls do not.
//   - Operations and requests that a caller has together (device.Batcher) go to the library in one
//     call of C: MPI_Isend and MPI_Irecv for each, then MPI_Waitall, or MPI_Testall with wait=yield.
//   - A message longer than INT_MAX bytes is one element of a derived datatype.
//   - Level raw is MPI_Send and MPI_Recv in one communicator. With loop=native the ping-pong runs
//     in C.
//   - MPI_Init_thread asks for MPI_THREAD_SERIALIZED, which costs no locks in the libraries. The
//     thread that calls it opens devices; a progress thread of package coll alternates with it.
//     With a library that supports only MPI_THREAD_SINGLE or FUNNELED there is no progress thread.
//   - Collective operations (device.Collector, algorithm "mpi" of package coll) are the blocking
//     and non-blocking functions of MPI in their own communicator. Blocks are equal, and
//     operators those that MPI and package op have both. Blocking functions wait in the library,
//     whatever the option wait is.
//   - Regions (device.RegionAllocator, windows of package comm) are windows of MPI_Win_allocate in
//     one passive epoch: MPI_Put, MPI_Get and MPI_Win_flush, which waits in the library, whatever
//     the option wait is. With MPICH 4.0 there are none: its puts take longer than messages.
//
// # What MPI does not have
//
// A lost rank ends the job, because launchers of MPI end all ranks. So no *device.PeerError is
// returned, and a rank that closes early is not detected. A collective or a receive that waits for
// a rank that has failed waits until the launcher ends it. MPI_Cancel of a send does nothing in
// Open MPI and MPICH.
//
// A message that is longer than its receive is a program error. If the rank survives it, a
// *device.TruncationError reports it, but Open MPI 4.1.4 writes messages of 4 KiB and more beyond
// the buffer, and reports no error for some messages to the own rank. MPICH 4.0.2 stores nothing.
//
// # Record
//
// The options of a record hold the version of the library and of the standard, the level of thread
// support, the modules that the library has loaded for the transport that it has chosen, and all
// variables of the environment that choose what the library does (OMPI_MCA_*, MPICH_*, MPIR_CVAR_*,
// I_MPI_*, MV2_*, UCX_*, FI_*). These are factors: results with different settings are not mixed.
package mpi
