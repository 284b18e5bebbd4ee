package fdtd

import (
	"fmt"
	"math"
	"unsafe"

	"gobench/comm"
	"gobench/comm/op"
)

// tolerance returns the greatest relative error of the energy that rounding can cause.
func tolerance[T Real]() float64 {
	if unsafe.Sizeof(T(0)) == 4 {
		return 2e-5
	}
	return 1e-12
}

// Verification is the result of the checks after a run.
type Verification struct {
	Energy Energy
	Digest uint64
	By     string // reference of the digest, "" if there was none
	Wrong  string // why verification failed, "" if it passed
}

// Limits of the problems that the oracle computes again, on one rank.
const (
	oraclePoints  = 1 << 21
	oracleUpdates = 1 << 27
)

// verify checks the fields after a run. It is collective and returns the same on all ranks. Where
// the digest has no reference, that of the first run becomes the reference of the following ones.
func (s *Solver[T]) verify() (v Verification, err error) {
	if v.Energy, err = s.Energy(); err != nil {
		return v, err
	}
	if v.Digest, err = s.Digest(); err != nil {
		return v, err
	}
	if s.expected == nil {
		if s.expected, err = s.expect(); err != nil {
			return v, err
		}
	}
	switch right := s.expected; {
	case !(v.Energy.Error() <= tolerance[T]()):
		v.Wrong = fmt.Sprintf("the energy of the field is %.9g, but the source has done work of %.9g (relative error %.2g, at most %.2g)",
			v.Energy.Field, v.Energy.Work, v.Energy.Error(), tolerance[T]())
	case right != nil && right.digest != v.Digest:
		v.Wrong = fmt.Sprintf("the digest of the fields is %016x, not %016x as in %s", v.Digest, right.digest, right.by)
	case right != nil:
		v.By = right.by
	default:
		s.expected = &expectation{v.Digest, "the first run"}
	}
	return v, nil
}

// expectation is the digest that a run must have.
type expectation struct {
	digest uint64
	by     string
}

// expect returns the reference of the digest: the stored one, or the oracle's if the problem is
// small, else nil.
func (s *Solver[T]) expect() (*expectation, error) {
	p := s.problem
	if d, ok := storedDigest(p, int(unsafe.Sizeof(T(0)))); ok {
		return &expectation{d, "the stored result"}, nil
	}
	if p.Points() > oraclePoints || p.Points()*int64(p.Steps) > oracleUpdates {
		return nil, nil
	}
	d := []uint64{0}
	if s.cart.Rank() == 0 {
		o := newOracle[T](p, whole(p))
		for _, w := range s.wavelet {
			o.advance(w)
		}
		d[0] = o.digest()
	}
	err := comm.Bcast(s.rank.Aside, d, 0)
	return &expectation{d[0], "the serial result"}, err
}

// stored holds the digests of named problems in single and double precision. They were computed by
// the oracle and hold for all machines and blocks.
var stored = map[string][2]uint64{
	"small":  {0x898337afeea45bfa, 0x829a1177177b7394},
	"medium": {0x8dd7b692dd00279c, 0x2da1d491be1d798e},
}

func storedDigest(p Problem, size int) (uint64, bool) {
	for _, known := range Sizes() {
		if known.Problem == p {
			d, ok := stored[known.Name]
			return d[size/4-1], ok
		}
	}
	return 0, false
}

// Digest returns a checksum of all bits of the fields. It does not depend on the blocks, and one
// wrong bit always changes it. It is collective and returns the same on all ranks.
func (s *Solver[T]) Digest() (uint64, error) {
	all := []uint64{0}
	for k, f := range []*field[T]{&s.e, &s.hx, &s.hy} {
		for j := range s.ny {
			all[0] += digestRow(s.problem, k, s.x, s.y+j, f.row(j, 0, s.nx))
		}
	}
	err := comm.Allreduce(s.rank.Aside, nil, all, op.Sum[uint64]())
	return all[0], err
}

// digestRow returns the contribution of a row of a field that starts at (x, y). Every point of
// every field has a distinct odd factor; multiplication by an odd factor modulo 2^64 is invertible.
func digestRow[T Real](p Problem, field, x, y int, row []T) uint64 {
	factor := 2*(3*(uint64(y)*uint64(p.NX)+uint64(x))+uint64(field)) + 1
	sum := uint64(0)
	switch row := any(row).(type) {
	case []float32:
		for _, v := range row {
			sum += uint64(math.Float32bits(v)) * factor
			factor += 6
		}
	case []float64:
		for _, v := range row {
			sum += math.Float64bits(v) * factor
			factor += 6
		}
	}
	return sum
}
