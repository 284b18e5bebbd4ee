// Package flow holds what the pseudo-applications of the NAS Parallel Benchmarks share: BT, SP and
// LU and their multi-zone versions solve the same compressible Navier-Stokes equations on a cube,
// with a forcing that makes a polynomial the exact solution (NASA RNR-94-007, section 3), and
// differ in the implicit solver.
//
// A Cell is a box of the grid with two layers of ghosts; a Solver holds the cells of a rank and
// computes residuals and norms on them; a Halo exchanges ghosts. BT and SP divide the grid by a
// Partition (multi-partition), whose Sweep passes line solvers through the cells.
package flow
