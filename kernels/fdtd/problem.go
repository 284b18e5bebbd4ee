package fdtd

import (
	"fmt"
	"math"
	"unsafe"
)

// Real lists the supported precisions.
type Real interface{ float32 | float64 }

// Problem defines the grid, the number of steps and the source, independently of the decomposition.
type Problem struct {
	NX, NY  int // points in a row, and rows
	Steps   int
	Courant float64 // c dt / dx, at most 1/sqrt(2)
	Source  Source
}

// Source is a point source with a Ricker wavelet.
type Source struct {
	X, Y int // the point
	// Wavelength at the peak frequency f, in cells: f = c / (Wavelength dx).
	Wavelength float64
}

// Courant is the default Courant number, just below the limit of stability, where dispersion is
// least.
const Courant = 0.7

// Wavelength is the default wavelength in cells, at which the grid resolves waves well.
const Wavelength = 20

// NewProblem returns the problem with the source in the middle and default Courant and Wavelength.
func NewProblem(nx, ny, steps int) Problem {
	return Problem{nx, ny, steps, Courant, Source{nx / 2, ny / 2, Wavelength}}
}

// Sizes returns the named problems, the smallest first.
func Sizes() []Size {
	return []Size{
		{"small", "a few seconds, for a first look", NewProblem(512, 512, 500)},
		{"medium", "4096 x 4096 points, 200 steps, of the papers on low-latency devices", NewProblem(4096, 4096, 200)},
		{"large", "16384 x 8192 points, 2500 steps, of the papers on scalable middleware", NewProblem(16384, 8192, 2500)},
	}
}

// Size is a problem with a name.
type Size struct {
	Name, About string
	Problem     Problem
}

// Check returns a *ProblemError if a parameter is out of its range.
func (p Problem) Check() error {
	const limit = 1 << 30
	switch {
	case p.NX < 1 || p.NY < 1 || p.NX > limit || p.NY > limit:
		return &ProblemError{"grid", fmt.Sprintf("%dx%d", p.NX, p.NY), "at least 1x1 and at most 2^30 points each way"}
	case p.Steps < 1 || p.Steps > limit:
		return &ProblemError{"steps", fmt.Sprint(p.Steps), "1 to 2^30"}
	case !(p.Courant > 0 && p.Courant <= math.Sqrt2/2):
		return &ProblemError{"courant", fmt.Sprint(p.Courant), "more than 0 and at most 0.7071, beyond which the scheme is unstable"}
	case p.Source.X < 0 || p.Source.X >= p.NX || p.Source.Y < 0 || p.Source.Y >= p.NY:
		return &ProblemError{"source", fmt.Sprintf("%d,%d", p.Source.X, p.Source.Y), fmt.Sprintf("a point from 0,0 to %d,%d", p.NX-1, p.NY-1)}
	case !(p.Source.Wavelength >= 2 && p.Source.Wavelength <= limit):
		return &ProblemError{"wavelength", fmt.Sprint(p.Source.Wavelength), "at least 2 cells, which the grid can just resolve"}
	}
	return nil
}

// Points returns the number of points that a step updates.
func (p Problem) Points() int64 { return int64(p.NX) * int64(p.NY) }

// TrafficPerPoint returns the bytes that a step must move between processor and memory for each
// point of a block larger than the caches: each of three fields is read and written once.
func TrafficPerPoint[T Real]() int { return 6 * int(unsafe.Sizeof(T(0))) }

// ProblemError reports an invalid parameter of a problem.
type ProblemError struct {
	Name, Value, Want string
}

func (e *ProblemError) Error() string {
	return fmt.Sprintf("%s is %s, want %s", e.Name, e.Value, e.Want)
}

// Grow returns the problem for weak scaling, in which each of the given number of cores has a grid
// of the size of p, in their fastest decomposition, and the source keeps its relative place.
func (p Problem) Grow(cores int) Problem {
	var best Blocks
	lowest := int64(-1)
	for y := 1; y <= cores; y++ {
		b := Blocks{cores / y, y}
		if cores%y != 0 {
			continue
		}
		if cost := b.cost(p.times(b)); lowest < 0 || cost <= lowest {
			best, lowest = b, cost
		}
	}
	return p.times(best)
}

// times returns the problem with the grid of p multiplied by b.X and b.Y.
func (p Problem) times(b Blocks) Problem {
	p.NX, p.NY = p.NX*b.X, p.NY*b.Y
	p.Source.X, p.Source.Y = p.Source.X*b.X, p.Source.Y*b.Y
	return p
}

// ricker returns the wavelet at time step n, Schneider's equation 5.16: the second
// derivative of a Gaussian with its peak, 1, one period after the beginning.
func (p Problem) ricker(n int) float64 {
	x := float64(math.Pi * float64(float64(p.Courant*float64(n)/p.Source.Wavelength)-1))
	square := float64(x * x)
	return float64((1 - 2*square) * decay(square))
}

// decay returns exp(-x) for x >= 0 with an error of 2 units in the last place or
// less. Unlike math.Exp it returns the same bits on all architectures: every product is explicitly
// rounded.
func decay(x float64) float64 {
	const (
		high = 6.93147180369123816490e-01 // ln 2 = high + low; n*high is exact
		low  = 1.90821492927058770002e-10
	)
	if x > 740 {
		return 0
	}
	n := math.Floor(float64(x/math.Ln2) + 0.5)
	r := float64(n*high-x) + float64(n*low) // -x = r - n ln 2, |r| <= ln 2 / 2
	sum := 1.0
	for k := 14.0; k >= 1; k-- { // Taylor's series by Horner's rule
		sum = 1 + float64(float64(r*sum)/k)
	}
	return math.Ldexp(sum, -int(n))
}
