// Package simd holds every vector loop of the project.
//
// A kernel is a loop over vectors of numbers. Each has a twin in plain Go, which
// runs everywhere, and where the build and the machine allow it one for AVX2
// and one for AVX-512. All twins of a kernel give the same bits, but for which
// NaN comes out of an addition or a multiplication.
//
// The vector twins use simd/archsimd, which needs GOEXPERIMENT=simd when gobench
// is built (make build sets it) and which Go 1.27 changes: other builds and
// later toolchains get the plain twins. Level says which are in force. The environment
// variable GOBENCH_SIMD chooses among those that there are: none, avx2 or avx512.
//
// A family of kernels is one file of plain Go (sum.go) and one file for each
// instruction set (sum_avx2.go). Loops that differ in nothing but type and
// operation are written by the program in gen; others by hand. Which set is
// used is decided in level_vector.go alone.
package simd

//go:generate go run ./gen
