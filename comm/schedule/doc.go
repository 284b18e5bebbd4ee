// Package schedule represents collective operations as programs: a program is the list of sends,
// receives, copies and reductions of one rank, without branches. An algorithm is a function that
// emits the program of a rank with a Builder. An Execution runs programs, blocking or not, so every
// algorithm has both forms. Package sim runs them without a network and verifies their results.
//
// The design follows LibNBC (Hoefler, Lumsdaine, Rehm, "Implementation and
// Performance Analysis of Non-Blocking Collective Operations for MPI", SC'07).
// Its schedules have rounds; here an instruction waits for one request, because
// pipelines wait for one while others are in progress.
//
// A program depends only on the shape of an operation, not on the addresses of its
// buffers, so it is built once and cached.
package schedule
