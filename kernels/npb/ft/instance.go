package ft

import (
	"fmt"
	"math/cmplx"
	"strings"

	"gobench/comm"
	"gobench/kernels/application"
	"gobench/kernels/npb"
)

// instance is FT on one rank.
type instance struct {
	*solver
	size
	references []complex128
	sums       []complex128 // after each step, on rank 0
	found      []npb.Check
}

func newInstance(r *application.Rank, class npb.Class) (npb.Instance, error) {
	np1, np2 := processors(sizeOf(class).n, r.Comm.Size())
	return newOn(r, class, np1, np2)
}

// newOn makes an instance on a grid of np1 x np2 ranks.
func newOn(r *application.Rank, class npb.Class, np1, np2 int) (*instance, error) {
	c := sizeOf(class)
	s, err := newSolver(r, c.n, np1, np2)
	if err != nil {
		return nil, err
	}
	return &instance{solver: s, size: c, references: references[class],
		sums: make([]complex128, c.niter)}, nil
}

// Run implements npb.Instance: the first transform once untimed, then everything from the twiddles
// to the verification.
func (f *instance) Run() (npb.Result, error) {
	if err := f.start(); err != nil {
		return npb.Result{}, err
	}
	if err := comm.Barrier(f.rank.Comm); err != nil {
		return npb.Result{}, err
	}
	f.rank.Begin()
	if err := f.solve(); err != nil {
		return npb.Result{}, err
	}
	f.verify()
	seconds := f.rank.End()
	if f.rank.Comm.Rank() != 0 {
		return npb.Result{Seconds: seconds}, nil // the sums are rank 0's
	}
	return npb.Result{Seconds: seconds, Checks: f.found, Text: f.text()}, nil
}

// solve makes the initial state and does all steps.
func (f *instance) solve() error {
	if err := f.start(); err != nil {
		return err
	}
	for t := range f.sums {
		if err := f.step(t + 1); err != nil {
			return err
		}
		var err error
		if f.sums[t], err = f.checksum(); err != nil {
			return err
		}
		if err := f.rank.Step(t+1, f.niter); err != nil {
			return err
		}
	}
	return nil
}

// verify compares the checksums with the official ones, if there are any.
func (f *instance) verify() {
	f.found = f.found[:0]
	for t, sum := range f.sums {
		if f.references == nil {
			f.found = append(f.found, npb.Relative("real part of checksum", real(sum), npb.Unknown(), epsilon),
				npb.Relative("imaginary part of checksum", imag(sum), npb.Unknown(), epsilon))
			continue
		}
		reference := f.references[t]
		f.found = append(f.found, npb.Check{
			Name:      "checksum",
			Value:     cmplx.Abs(sum),
			Reference: cmplx.Abs(reference),
			Error:     cmplx.Abs((sum - reference) / reference),
			Epsilon:   epsilon,
		})
	}
}

// text formats the results of a run in the layout of the official program.
func (f *instance) text() string {
	var s strings.Builder
	verdict := "successful"
	for t, c := range f.sums {
		fmt.Fprintf(&s, " T =%5d     Checksum =%s%s\n", t+1, npb.FormatPD(real(c), 22, 12), npb.FormatPD(imag(c), 22, 12))
		if !f.found[t].Right() {
			verdict = "failed"
		}
	}
	return s.String() + " Result verification " + verdict + "\n"
}
