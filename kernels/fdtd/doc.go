// Package fdtd solves Maxwell's equations in two dimensions in the time domain: the field of a
// Ricker wavelet in free space within perfectly conducting walls. The problems "medium" and "large"
// come from published evaluations of Java message passing (A. Ramos et al., FDTD on 4096 x 4096
// and 16384 x 8192 points). Ranks exchange the borders of their blocks with up to four neighbours
// in every step.
//
// # Method
//
// Yee's scheme for transverse magnetic waves (K. Yee, IEEE Trans. Antennas
// Propag. 14, 1966; A. Taflove and S. Hagness, Computational Electrodynamics,
// 3rd ed., section 3.6.6). With E scaled by the impedance of free space and S =
// c dt / dx, Courant's number, one step is
//
//	Hx[j][i] += S (Ez[j][i] - Ez[j+1][i])
//	Hy[j][i] += S (Ez[j][i+1] - Ez[j][i])
//	Ez[j][i] += S ((Hy[j][i] - Hy[j][i-1]) - (Hx[j][i] - Hx[j-1][i]))
//
// for the points i in 0..NX-1 of a row and the rows j in 0..NY-1. The walls lie
// one point outside of the grid, where Ez remains 0. The wavelet is added to Ez at
// one point (J. Schneider, Understanding the FDTD Method, section 5.2.3).
//
// # In one pass
//
// A row of H needs the row of Ez above before its update, and a row of Ez needs H of its own row
// and the row below after their updates. Both are therefore updated in one pass over the rows from
// below. A step reads and writes each of the three fields once: 6 numbers for each point, 24 bytes
// in single precision. Two passes would move 9 numbers.
//
// # In parallel
//
// The grid is cut into blocks of points, one for each rank of a Cartesian communicator. The halo of
// a block is Ez along its four sides. H on its lower and left side is computed twice, which saves a
// second exchange. A step starts the exchange, updates all points that do not depend on the halo,
// waits, and then updates the outermost points. Rows are sent from and received into the field,
// columns are packed into buffers.
//
// Results are bitwise independent of blocks, threads and vector instructions: there is no fused
// multiply-add, and the wavelet does not use the math library.
package fdtd
