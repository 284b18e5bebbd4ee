// Package schedule holds collective operations as programs: straight lists of
// sends, receives, copies and reductions of one rank. An algorithm is a function
// that emits the program of a rank with a Builder; what runs it is written once,
// so every algorithm exists in a blocking, a non-blocking and a persistent form,
// and can be run without any network to prove that it is right (package sim).
//
// The idea is that of LibNBC (Hoefler, Lumsdaine, Rehm, "Implementation and
// Performance Analysis of Non-Blocking Collective Operations for MPI", SC'07).
// Its schedules have rounds; here an instruction waits for one request, because
// pipelines wait for one while others are under way.
//
// A program depends on the shape of an operation alone, not on where its
// buffers are, so it is built once and kept.
package schedule
