// Package mpi is the transport over an MPI library, the driver "mpi". It measures the
// point-to-point calls of any MPI under the rules of gobench.
//
// # Building
//
// The build tag mpi and cgo include it (make build-mpi). The library is opened when the program
// runs, so one binary serves all libraries of two binary interfaces (ABIs): that of Open MPI 4 and
// 5, and that of MPICH, which Intel MPI, MVAPICH and Cray MPICH share. The functions that depend on
// the ABI are one source in C (library/abi/*.c), compiled for each and embedded in the binary.
//
// # Ranks
//
// Ranks are those of MPI_COMM_WORLD: the launcher of the library starts them (device.Joiner), and
// ranks exchange their data by MPI. The variables of the launcher decide which library is opened.
// A launcher of the other library would make each rank a job of its own; that is an error.
//
// # Mapping
//
//   - Contexts are communicators, 256 duplicates of MPI_COMM_WORLD made at the start: tags need all
//     bits that MPI has for them, and a wildcard of the tag must not match across contexts.
//   - Isend, Issend, Irecv, Iprobe, Test and Cancel are the MPI calls of that name, Peek is
//     MPI_Testany. Send, Ssend, Recv, Probe and Wait are the blocking calls, except with wait=yield:
//     then ranks test and give up the processor, because blocking calls keep it.
//   - A message longer than INT_MAX bytes is one element of a derived datatype.
//   - Level raw is MPI_Send and MPI_Recv in one communicator. With loop=native the ping-pong runs in C.
//   - MPI_Init_thread asks for MPI_THREAD_FUNNELED, which costs no locks. The thread that calls it
//     makes all calls. A library that has only MPI_THREAD_SINGLE is used all the same.
//
// # What MPI does not have
//
// A lost rank ends the job: launchers of MPI end all ranks, so no *device.PeerError is returned, and
// a rank that closes early is not noticed. MPI_Cancel of a send does nothing in Open MPI and MPICH. Tags end at MPI_TAG_UB. A
// collective or a receive that waits for a rank that has failed waits until the launcher ends it.
//
// # Record
//
// The options of a record hold the version of the library and of the standard, the level of thread
// support, and all variables of the environment that choose what the library does (OMPI_MCA_*,
// MPICH_*, MPIR_CVAR_*, I_MPI_*, MV2_*, UCX_*, FI_*). Those are factors: results with different
// settings are not mixed.
package mpi
