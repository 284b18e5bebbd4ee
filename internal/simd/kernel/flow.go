package kernel

// LineLanes is the number of lines that a kernel of Blocks or Penta solves at a time.
const LineLanes = 8

// A Flow holds the kernels of the operator D of the compressible Navier-Stokes equations in the
// pseudo-applications of the NAS Parallel Benchmarks (NASA RNR-94-007, section 3). A grid is stored
// as rows along x; the five components of a row follow one another, and have padding on both sides.
// Results of two sets differ by rounding.
type Flow struct {
	// Primitives sets the row of W at a.Next from the row of U at a.At, with the padding: the
	// velocities V, q = rho |V|^2 / 2, q / rho, and the energy by the density.
	Primitives func(a *Row)
	// Residual sets the row of R at a.At to Scale (F + D(U)).
	Residual func(a *Row)
}

// A Row describes one row for the kernels of Flow. Indices refer to the first component of the
// first point; the arrays have eight numbers of padding before it.
type Row struct {
	U, F, R    []float64 // five components each
	At         int
	Comp, Y, Z int // numbers from a component, a row and a plane to the next
	N          int // points, a multiple of 8; the padding after them is smaller than Comp

	W            []float64 // six components each, also Comp apart
	Next, Here   int
	SideY, SideZ [2]int // rows of W before and after this one along y and z

	Scale   []float64     // of each point: 0 where R stays 0
	X       [5][]float64  // weights of U two points before to two points after, along x, of each point
	YZ      [2][5]float64 // the same along y and z, of the whole row
	Half    [3]float64    // 1 / 2h along each axis
	Viscous [3]float64    // viscosity / h^2 along each axis
}

// Lines describes eight neighbouring lines through a cell for the kernels of Blocks and Penta.
// Numbers of the eight lines at a position are adjacent.
type Lines struct {
	U, R         []float64 // conserved variables and right side
	UAt, RAt     int       // index of the first component at position 0
	UStep, RStep int       // numbers from a position to the next
	UComp, RComp [5]int    // places of the components
	Normal       int       // place of the momentum along the line in U; for Penta
	Lo, Hi       int       // positions to solve; U has one more on both sides
	Kept         []float64 // from the elimination for the back substitution
	At           int       // index of position 0 in Kept
	In, Out      []float64 // state of the neighbour before, and for the one after
	Tau1, Tau2   float64   // dt / h^2 and dt / 2h
	Delta        float64   // coefficient of the second difference
	Bands        []float64 // five weights of the fourth difference at each position; for Penta

	Work [75 * LineLanes]float64 // of Blocks.Forward
}

// Sizes in numbers for each line: the values kept of a position, and the states that pass forward
// and back.
const (
	BlockKept, BlockForth, BlockBack = 25, 30, 5
	PentaKept, PentaForth, PentaBack = 6, 22, 10
)

// Blocks holds the block tridiagonal solver of BT. The components are density, normal and two
// tangential momenta, and energy.
type Blocks struct {
	// Forward eliminates. R becomes the reduced right side.
	Forward func(l *Lines)
	// Back substitutes. R becomes the solution.
	Back func(l *Lines)
	// BackAdd substitutes and adds the solution to U.
	BackAdd func(l *Lines)
}

// Penta holds the three scalar pentadiagonal solvers of SP and the transforms between axes. The
// components are in the order of the axes.
type Penta struct {
	// Forward eliminates. R becomes the negative of the reduced right side.
	Forward func(l *Lines)
	// Transformed transforms the right side to characteristic variables along x before.
	Transformed func(l *Lines)
	// BackX and BackY substitute and transform the solution to the variables of the next axis.
	BackX, BackY func(l *Lines)
	// BackZ substitutes, transforms the solution to conserved variables and adds it to U.
	BackZ func(l *Lines)
}

// Relax holds the parts of a sweep of LU in which points do not depend on one another.
type Relax struct {
	// Look sets P to the quantities of the solution in a row that the sweep needs, and T to Keep R
	// + Add (Y + Z).
	Look func(a *RelaxRow)
	// Products sets Y and Z to the products of the blocks along y and z with R.
	Products func(a *RelaxRow)
	// ProductsAdd is Products and adds Gain R to U.
	ProductsAdd func(a *RelaxRow)
}

// A RelaxRow describes one row for the kernels of Relax. Components are Comp numbers apart.
type RelaxRow struct {
	U, R    []float64 // solution and right side
	At      int       // index of the first component of the first point
	Comp, N int       // numbers from a component to the next; points, a multiple of 8

	// P has, of each point: velocity (3), energy by density, square of the velocity by 2, enthalpy,
	// viscosity by density, coupling of the momenta to the density (3), inverse diagonal (4), and
	// the conductivity.
	P, T  []float64
	Y, Z  []float64 // products of the row before and of the plane before
	Plane int       // index of the row in Z

	Diagonal, Heat, Keep, Add, Gain   float64
	Momentum, Convect, Diffuse, Shift [3]float64
}

// RelaxParts is the number of components of RelaxRow.P.
const RelaxParts = 15
