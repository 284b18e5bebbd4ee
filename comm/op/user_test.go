package op

import (
	"errors"
	"testing"
)

// matrix is multiplied with others: associative, not commutative.
type matrix struct{ A, B, C, D uint32 }

func multiply(l, r matrix) matrix {
	return matrix{l.A*r.A + l.B*r.C, l.A*r.B + l.B*r.D, l.C*r.A + l.D*r.C, l.C*r.B + l.D*r.D}
}

func TestUserDefined(t *testing.T) {
	oracle(t, New("matrix product", false, multiply), bits[matrix], multiply)
	oracle(t, NewVector("matrix product", false, func(dst, left, right []matrix) {
		for i := range dst {
			dst[i] = multiply(left[i], right[i])
		}
	}), bits[matrix], multiply)

	type odd [3]byte // of no register's size
	first := func(l, _ odd) odd { return l }
	oracle(t, New("first", false, first), bits[odd], first)

	either := func(l, r bool) bool { return l || r }
	oracle(t, New("either", true, either), func(i int) bool { return i%3 == 0 }, either)
}

func TestUserDefinedSaysWhatItIs(t *testing.T) {
	o := New("matrix product", false, multiply)
	if o.Commutative || o.Elem != 16 || o.String() != "matrix product of op.matrix" {
		t.Errorf("%v of %d bytes, commutative: %v", o, o.Elem, o.Commutative)
	}
	if !New("or", true, func(l, r uint8) uint8 { return l | r }).Commutative {
		t.Error("a commutative operator is taken not to be")
	}
}

func TestUnusableOperators(t *testing.T) {
	for want, o := range map[string]*Op{
		"the reduction operator is missing":                                                          nil,
		`the reduction operator "f" has no function`:                                                 New[int]("f", true, nil),
		`the reduction operator "g" has no function`:                                                 NewVector[int]("g", true, nil),
		`the reduction operator "h" is for struct {}, which has no bytes`:                            New("h", true, func(l, r struct{}) struct{} { return l }),
		`the reduction operator "s" is for string, which holds pointers and cannot be sent as bytes`: New("s", true, func(l, r string) string { return l + r }),
		`the reduction operator "p" is for [2]struct { P *int }, which holds pointers and cannot be sent as bytes`: New("p", true,
			func(l, r [2]struct{ P *int }) [2]struct{ P *int } { return l }),
	} {
		err := o.Err()
		var invalid *InvalidError
		if !errors.As(err, &invalid) || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Two operators that each stand for one order of the ranks.
func TestOrderIsFromLeftToRight(t *testing.T) {
	type word [8]byte
	join := func(l, r word) word { // appends what r has before its zeros
		n := 0
		for n < len(l) && l[n] != 0 {
			n++
		}
		copy(l[n:], r[:])
		return l
	}
	srcs := make([][]byte, 8)
	for k := range srcs {
		srcs[k] = raw([]word{{byte('a' + k)}})
	}
	dst := make([]byte, 8)
	New("join", false, join).CombineAll(dst, srcs)
	if string(dst) != "abcdefgh" {
		t.Errorf("joined to %q", dst)
	}
}
