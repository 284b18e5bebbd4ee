// Package fdtd solves Maxwell's equations in two dimensions in the time domain:
// the field of a Ricker wavelet in free space within perfectly conducting walls.
// It is the application of the middleware papers (A. Ramos et al., FDTD on
// 4096 x 4096 points; 16384 x 8192 points), whose ranks exchange the borders of
// their blocks with up to four neighbours in every step.
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
// A row of H needs the row of Ez above as it was, and a row of Ez needs H of its
// own row and the row below as they are: so both are updated in one pass over
// the rows from below. A step reads and writes each of the three fields once, which
// is 6 numbers for each point, 24 bytes in single precision. Two passes would move 9.
//
// # In parallel
//
// The grid is cut into blocks of points, one for each rank of a Cartesian
// communicator. What a block needs of others is Ez along its four sides: H
// on its lower and left side, which would be a second exchange, it computes
// itself. A step starts the exchange, updates all that needs no halo,
// waits, and then updates the outermost points. Rows travel from and into the field
// itself, columns through buffers.
//
// Results do not depend on blocks, threads or vector instructions: they are the same
// to the bit. There is no fused multiply-add, and the wavelet is computed without
// the functions of the machine.
package fdtd
