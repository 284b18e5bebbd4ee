package op

import (
	"math"
	"testing"
)

// What MPI says: the greater (smaller) value, and min(i, j) where they are equal.
func testLoc[V int32 | int64 | float32 | float64, I int32 | int64](t *testing.T, largest, smallest *Op) {
	element := func(i int) Loc[V, I] { return Loc[V, I]{V(few[int32](i)) - 2, I(bits[int8](i + 5))} }
	oracle(t, largest, element, func(a, b Loc[V, I]) Loc[V, I] {
		switch {
		case a.Value > b.Value:
			return a
		case a.Value == b.Value:
			return Loc[V, I]{a.Value, min(a.Index, b.Index)}
		}
		return b
	})
	oracle(t, smallest, element, func(a, b Loc[V, I]) Loc[V, I] {
		switch {
		case a.Value < b.Value:
			return a
		case a.Value == b.Value:
			return Loc[V, I]{a.Value, min(a.Index, b.Index)}
		}
		return b
	})
}

func TestLocations(t *testing.T) {
	testLoc[float64, int64](t, MaxLoc[Float64Loc](), MinLoc[Float64Loc]())
	testLoc[float32, int32](t, MaxLoc[Float32Loc](), MinLoc[Float32Loc]())
	testLoc[int64, int64](t, MaxLoc[Int64Loc](), MinLoc[Int64Loc]())
	testLoc[int32, int32](t, MaxLoc[Int32Loc](), MinLoc[Int32Loc]())
}

func TestLocationOfTies(t *testing.T) {
	nan := math.NaN()
	for _, o := range []*Op{MaxLoc[Float64Loc](), MinLoc[Float64Loc]()} {
		for _, c := range [][3]Float64Loc{
			{{5, 3}, {5, 1}, {5, 1}},
			{{5, 1}, {5, 3}, {5, 1}},
			{{0, 2}, {math.Copysign(0, -1), 1}, {math.Copysign(0, -1), 1}},
			{{nan, 1}, {5, 3}, {nan, 1}}, // no order: as if equal
			{{5, 3}, {nan, 1}, {nan, 1}},
			{{5, 1}, {nan, 3}, {5, 1}},
		} {
			dst := make([]Float64Loc, 1)
			o.Combine(raw(dst), raw(c[:1]), raw(c[1:2]))
			if dst[0].Index != c[2].Index || math.Float64bits(dst[0].Value) != math.Float64bits(c[2].Value) {
				t.Errorf("%v of %v and %v is %v, want %v", o, c[0], c[1], dst[0], c[2])
			}
		}
	}
}
