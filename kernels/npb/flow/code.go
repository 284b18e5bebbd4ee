package flow

import (
	"fmt"
	"math"
	"strings"

	"gobench/kernels/npb"
)

// Size holds the parameters of a class: points along each axis, steps and the length of a step.
type Size struct {
	N, Steps int
	Dt       float64
}

// times returns the points along an axis of a grid with n points along it, after the number of all
// points has been multiplied by factor.
func times(n int, factor float64) int { return int(math.Round(float64(n) * math.Cbrt(factor))) }

// shorter returns the length of a step on a grid after the number of all points has been multiplied
// by factor. Twice the points along an axis need a quarter of the length, as between the official
// classes. With fewer points it stays the same.
func shorter(dt, factor float64) float64 { return dt / max(1, math.Pow(factor, 2.0/3)) }

// Reference holds the official results of a class.
type Reference struct {
	Residual, Error [5]float64 // norms of each component
	Surface         float64    // integral of LU
}

// epsilon is the tolerance of every result, relative.
const epsilon = 1e-8

// A Code is one of BT, SP and LU.
type Code struct {
	Name, About string
	Sizes       map[npb.Class]Size
	References  map[npb.Class]Reference
	Fewest      int // least points along an axis, if more than the constant fewest
	// Operations returns the official number of operations of a step on n points in all, with the
	// mean square and the mean of the points along an axis.
	Operations func(n, square, mean float64) float64
	// Input is the name of the optional input file whose absence the header reports, "" for LU.
	Input string
}

// Size returns the parameters of a class. A multiple of a class has that multiple of the points, in
// a cube.
func (c *Code) Size(class npb.Class) Size {
	s, factor := c.Sizes[class.Letter()], class.Factor()
	s.N, s.Dt = times(s.N, factor), shorter(s.Dt, factor)
	return s
}

// Legal returns a *npb.FactorError if a class has too few points for the differences.
func (c *Code) Legal(class npb.Class) error {
	smallest := max(fewest, c.Fewest)
	if c.Size(class).N >= smallest {
		return nil
	}
	return &npb.FactorError{Kernel: c.Name, Class: class, Why: fmt.Sprintf("it would have less than %d points along an axis", smallest)}
}

// fewest is the least number of points along an axis that the differences need.
const fewest = 6

// Problem describes a class.
func (c *Code) Problem(class npb.Class) npb.Problem {
	s := c.Size(class)
	cube := fmt.Sprintf("%4dx%4dx%4d", s.N, s.N, s.N)
	var header string
	if c.Input != "" {
		header = fmt.Sprintf(" No input file %s. Using compiled defaults\n Size: %s  (class %v)\n Iterations: %4d    dt: %11.7f\n Total number of processes: %%5d\n", c.Input, cube, class, s.Steps, s.Dt)
	} else {
		header = fmt.Sprintf(" Size: %s  (class %v)\n Iterations: %4d\n Total number of processes: %%5d\n", cube, class, s.Steps)
	}
	n := float64(s.N)
	return npb.Problem{
		Size: cube, Header: header, Iterations: s.Steps,
		Operations: 1e-6 * float64(s.Steps) * c.Operations(n*n*n, n*n, n),
		Kind:       "floating point",
	}
}

// Result holds what is verified after a run.
type Result struct {
	Residual, Error [5]float64
	Surface         float64
}

// Checks compares a result with the reference of a class.
func (c *Code) Checks(class npb.Class, r Result) []npb.Check { return checks(c.References, class, r) }

// checks compares a result with the reference of a class, if it is official.
func checks(references map[npb.Class]Reference, class npb.Class, r Result) []npb.Check {
	reference, ok := references[class]
	if !ok {
		for m := range reference.Residual {
			reference.Residual[m], reference.Error[m] = npb.Unknown(), npb.Unknown()
		}
		if r.Surface != 0 {
			reference.Surface = npb.Unknown()
		}
	}
	var list []npb.Check
	for m, v := range r.Residual {
		list = append(list, npb.Relative(fmt.Sprintf("residual %d", m+1), v, reference.Residual[m], epsilon))
	}
	for m, v := range r.Error {
		list = append(list, npb.Relative(fmt.Sprintf("solution error %d", m+1), v, reference.Error[m], epsilon))
	}
	if reference.Surface != 0 {
		list = append(list, npb.Relative("surface integral", r.Surface, reference.Surface, epsilon))
	}
	return list
}

// Text formats the results of a run in the layout of the official program.
func (c *Code) Text(class npb.Class, checks []npb.Check) string {
	return text(class, c.Size(class).Steps, checks, c.Input == "")
}

// text formats the results after the given steps, in the layout of LU or in that of BT and SP.
func text(class npb.Class, steps int, checks []npb.Check, lu bool) string {
	var s strings.Builder
	for step := 1; step <= steps; step++ {
		if step == 1 || step == steps || step%20 == 0 {
			fmt.Fprintf(&s, " Time step %4d\n", step)
		}
	}
	first, accuracy := "", " accuracy"
	if lu {
		first, accuracy = "\n", " Accuracy"
	}
	fmt.Fprintf(&s, "%s Verification being performed for class %v\n%s setting for epsilon = %s\n", first, class, accuracy, npb.FormatE(epsilon, 20, 13))
	failed := false
	for i, check := range checks {
		switch i {
		case 0:
			s.WriteString(" Comparison of RMS-norms of residual\n")
		case 5:
			s.WriteString(" Comparison of RMS-norms of solution error\n")
		case 10:
			s.WriteString(" Comparison of surface integral\n")
		}
		number, mark := fmt.Sprintf("%2d", i%5+1), strings.Repeat(" ", 10)
		if lu {
			number += "  "
		}
		if i == 10 {
			number = strings.Repeat(" ", 4)
		}
		if !check.Right() {
			mark, failed = " FAILURE: ", true
		}
		fmt.Fprintf(&s, "%s%s%s%s%s\n", mark, number, npb.FormatE(check.Value, 20, 13), npb.FormatE(check.Reference, 20, 13), npb.FormatE(check.Error, 20, 13))
	}
	if failed {
		return s.String() + " Verification failed\n"
	}
	return s.String() + " Verification Successful\n"
}
