// Package npb is what the kernels of the NAS Parallel Benchmarks (NPB 3.4, the MPI
// versions; Bailey et al., "The NAS Parallel Benchmarks", NASA RNR-94-007) have in
// common: problem classes, how a kernel presents itself, verification, and the block
// of results that people know. One package per kernel holds the rest.
//
// A kernel is a variable of type Kernel, listed in package all. It has
//
//   - Problem: size, iterations and operations of a class,
//   - Legal: which numbers of ranks may run it (*RanksError names them),
//   - Memory: the bytes that a rank needs, so that what does not fit is refused
//     before anything is started,
//   - New: the untimed setup on one rank (matrix, arrays), which returns an Instance.
//
// Instance.Run does one official run: what is untimed before it (warm-up), then
// between Rank.Begin and Rank.End the timed region, with Timers.Enter around its
// communication, then the verification. It returns the rank's own time and, on
// rank 0, the verified quantities. It may be called again, for repetitions.
//
// Run (in this package) calls it and makes one Outcome of what all ranks have
// measured, by the rule of the kernel: the longest time of a rank, or rank 0's.
//
// These kernels are compatible with NPB 3.4; what they report is no official NPB
// result.
package npb
