package op

import (
	"testing"

	"gobench/internal/allocs"
)

func testNumber[T Number](t *testing.T) {
	oracle(t, Sum[T](), bits[T], func(a, b T) T { return a + b })
	oracle(t, Prod[T](), bits[T], func(a, b T) T { return a * b })
}

func testOrdered[T Ordered](t *testing.T) {
	testNumber[T](t)
	for _, element := range []func(int) T{bits[T], few[T]} {
		oracle(t, Max[T](), element, func(a, b T) T {
			if a > b {
				return a
			}
			return b
		})
		oracle(t, Min[T](), element, func(a, b T) T {
			if a < b {
				return a
			}
			return b
		})
	}
}

func testInteger[T Integer](t *testing.T) {
	testOrdered[T](t)
	oracle(t, BAnd[T](), bits[T], func(a, b T) T { return a & b })
	oracle(t, BOr[T](), bits[T], func(a, b T) T { return a | b })
	oracle(t, BXor[T](), bits[T], func(a, b T) T { return a ^ b })
	number := map[bool]T{true: 1}
	for _, element := range []func(int) T{bits[T], few[T]} {
		oracle(t, LAnd[T](), element, func(a, b T) T { return number[a != 0 && b != 0] })
		oracle(t, LOr[T](), element, func(a, b T) T { return number[a != 0 || b != 0] })
		oracle(t, LXor[T](), element, func(a, b T) T { return number[(a != 0) != (b != 0)] })
	}
}

type celsius float32 // a type with its own name

func TestPredefined(t *testing.T) {
	for name, test := range map[string]func(*testing.T){
		"int": testInteger[int], "int8": testInteger[int8], "int16": testInteger[int16],
		"int32": testInteger[int32], "int64": testInteger[int64],
		"uint": testInteger[uint], "uint8": testInteger[uint8], "uint16": testInteger[uint16],
		"uint32": testInteger[uint32], "uint64": testInteger[uint64],
		"float32": testOrdered[float32], "float64": testOrdered[float64],
		"complex64": testNumber[complex64], "complex128": testNumber[complex128],
		"named": testOrdered[celsius],
	} {
		t.Run(name, test)
	}
}

func TestNames(t *testing.T) {
	for got, want := range map[*Op]string{
		Sum[float64](): "sum of float64", Prod[int8](): "prod of int8", Max[celsius](): "max of float32",
		Min[uint](): "min of uint", LAnd[int](): "land of int", LOr[int16](): "lor of int16",
		LXor[int32](): "lxor of int32", BAnd[uint8](): "band of uint8", BOr[uint64](): "bor of uint64",
		BXor[int64](): "bxor of int64", MaxLoc[Float64Loc](): "maxloc of Float64Loc",
		MinLoc[Int32Loc](): "minloc of Int32Loc",
	} {
		if got.String() != want {
			t.Errorf("%v, want %v", got, want)
		}
		if !got.Commutative {
			t.Errorf("%v is said not to be commutative", got)
		}
	}
}

// A reduction may ask for its operator every time.
func TestPredefinedAllocateNothing(t *testing.T) {
	a, b := make([]byte, 4096), make([]byte, 4096)
	srcs := [][]byte{a, b, b, b, b, b}
	f := func(left, right [2]float64) [2]float64 { return [2]float64{left[0] + right[0], left[1]} }
	mine := New("mine", false, f)
	for name, run := range map[string]func(){
		"Sum":        func() { Sum[float64]().Combine(a, a, b) },
		"Max":        func() { Max[celsius]().Combine(a, a, b) },
		"LAnd":       func() { LAnd[uint16]().Combine(a, a, b) },
		"BXor":       func() { BXor[int8]().Combine(a, a, b) },
		"MaxLoc":     func() { MaxLoc[Float32Loc]().Combine(a, a, b) },
		"MinLoc":     func() { MinLoc[Int64Loc]().Combine(a, a, b) },
		"CombineAll": func() { Sum[int32]().CombineAll(a, srcs); Prod[complex64]().CombineAll(a, srcs) },
		"user":       func() { mine.Combine(a, a, b); mine.CombineAll(a, srcs) },
	} {
		if n := allocs.Count(100, run); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
	if once, again := Sum[float64](), Sum[float64](); once != again {
		t.Error("the sum of float64 is made twice")
	}
}

// Messages lie where they lie.
func TestUnalignedElements(t *testing.T) {
	for shift := range 8 {
		n := 100
		all := [3][]byte{}
		for k := range all {
			all[k] = make([]byte, 8*n+shift)[shift:]
			copy(all[k], raw(vector(n, k, bits[int64])))
		}
		Sum[int64]().Combine(all[0], all[1], all[2])
		for i, v := range view[int64](all[0]) {
			if want := bits[int64](i+1009) + bits[int64](i+2*1009); v != want {
				t.Fatalf("shift %d: element %d is %d, want %d", shift, i, v, want)
			}
		}
	}
}
