// Package simd holds the vector loops of gobench.
//
// A kernel is a loop over vectors of numbers. Each has an implementation in plain Go, which
// runs everywhere; if the build and the processor allow it, many also have one for AVX2
// and one for AVX-512. All implementations of a kernel give bitwise identical results, except for
// the payload of a NaN from an addition or a multiplication, and for the sums of a Solver.
//
// The vector implementations use simd/archsimd, which needs GOEXPERIMENT=simd when gobench
// is built and which Go 1.27 changes incompatibly. Other builds and later toolchains get plain Go:
// make build refuses them unless SIMD=off is given, and gobench probe, gobench --version and every
// record show the instruction set in force. The environment
// variable GOBENCH_SIMD selects another one: none, avx2 or avx512.
//
// A family of kernels is one file of plain Go (sum.go) and one file for each
// instruction set (sum_avx2.go). Loops that differ in nothing but type and
// operation are written by the program in gen; others by hand. Loops that need gathers or
// prefetches, which archsimd of Go 1.26 lacks, are in assembly. Which set is used is decided
// in level_vector.go alone.
package simd

//go:generate go run ./gen
