// Package npb provides what the kernels of the NAS Parallel Benchmarks share (NPB 3.4, the MPI
// versions; Bailey et al., "The NAS Parallel Benchmarks", NASA RNR-94-007): problem classes, the
// description of a kernel, verification, and the official block of results. Each kernel has a
// package of its own.
//
// A kernel is a value of type Kernel, listed in package all. It has
//
//   - Problem: size, iterations and operations of a class,
//   - Legal: which numbers of ranks may run it (*RanksError names them),
//   - Memory: the bytes that all ranks need, so that a class that does not fit is refused before
//     anything is started,
//   - New: the untimed setup on one rank (matrix, arrays), which returns an Instance.
//
// Instance.Run does one official run: the untimed warm-up, the timed region between Rank.Begin and
// Rank.End with Timers.Begin around its communication, and the verification. It returns the time of
// the rank and, on rank 0, the verified quantities. It may be called again, for repetitions.
//
// Run (in this package) calls it and combines the results of all ranks into one Outcome, by the
// rule of the kernel: the longest time of a rank, or the time of rank 0.
//
// These kernels are compatible with NPB 3.4; their results are not official NPB results.
package npb
