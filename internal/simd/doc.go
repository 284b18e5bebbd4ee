// Package simd holds the vector loops of gobench.
//
// A kernel is a loop over vectors of numbers. Each has an implementation in plain Go, which runs
// everywhere; if the build and the processor allow it, many also have one for AVX2, for AVX-512 and
// for NEON. All implementations of a kernel give bitwise identical results, except for the payload
// of a NaN from an addition or a multiplication, and for the sums of a Solver and the kernels of
// Flow, Lines and Relax, whose results differ by rounding.
//
// The vector implementations use simd/archsimd of Go 1.27, which needs GOEXPERIMENT=simd when
// gobench is built. Other builds get plain Go: make build says so unless SIMD=off is given, and
// gobench probe, gobench --version and every record show the instruction set in force. The
// environment variable GOBENCH_SIMD selects another one: none, avx2, avx512 or neon.
//
// Most kernels have one text for all vectors, in lanes/x1, lanes/x2 or a template in lanes. The
// packages lanes/x1, x2, x4 and x8 have files made of these texts (go test ./internal/simd/lanes
// -update), and each has in vec.go its own type of a vector: of 1 number in plain Go, 2 (NEON), 4
// (AVX2) and 8 (AVX-512). Loops that need to move numbers between lanes are written for AVX2 here
// (fourier_avx2.go), and loops that need gathers or prefetches, which archsimd lacks, are in
// assembly. docs/notes/portable-simd.md has the measurements. Which set is used is decided in
// level_amd64.go and level_arm64.go alone.
package simd
