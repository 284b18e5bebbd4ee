package op

// A Loc is a value with its location: a rank, or an index in a vector.
type Loc[V int32 | int64 | float32 | float64, I int32 | int64] struct {
	Value V
	Index I
}

// The pairs that MaxLoc and MinLoc take. They have no gaps in memory.
type (
	Float64Loc = Loc[float64, int64]
	Float32Loc = Loc[float32, int32]
	Int64Loc   = Loc[int64, int64]
	Int32Loc   = Loc[int32, int32]
)

// Located is a pair.
type Located interface {
	Float64Loc | Float32Loc | Int64Loc | Int32Loc
}

// MaxLoc selects the pair with the greater value. If the values are equal or one is a NaN, it
// selects the pair with the lower index.
func MaxLoc[P Located]() *Op { return located[P]().largest }

// MinLoc selects the pair with the smaller value, and the lower index as MaxLoc does.
func MinLoc[P Located]() *Op { return located[P]().smallest }

type extremes struct{ largest, smallest *Op }

var (
	float64Loc = pair[float64, int64]("Float64Loc")
	float32Loc = pair[float32, int32]("Float32Loc")
	int64Loc   = pair[int64, int64]("Int64Loc")
	int32Loc   = pair[int32, int32]("Int32Loc")
)

func located[P Located]() *extremes {
	var p P
	switch any(p).(type) {
	case Float64Loc:
		return &float64Loc
	case Float32Loc:
		return &float32Loc
	case Int64Loc:
		return &int64Loc
	}
	return &int32Loc
}

func pair[V int32 | int64 | float32 | float64, I int32 | int64](name string) extremes {
	type loc = Loc[V, I]
	predefined := func(operator string, f func(dst, a, b []loc)) *Op {
		return &Op{Name: operator, Type: name, Elem: size[loc](), Commutative: true, predefined: true, combine: lift(f)}
	}
	return extremes{
		largest: predefined("maxloc", func(dst, a, b []loc) {
			for i := range dst {
				dst[i] = choose(a[i], b[i], a[i].Value > b[i].Value, b[i].Value > a[i].Value)
			}
		}),
		smallest: predefined("minloc", func(dst, a, b []loc) {
			for i := range dst {
				dst[i] = choose(a[i], b[i], a[i].Value < b[i].Value, b[i].Value < a[i].Value)
			}
		}),
	}
}

// choose returns the better pair, or the one with the lower index if none is.
func choose[V int32 | int64 | float32 | float64, I int32 | int64](a, b Loc[V, I], better, worse bool) Loc[V, I] {
	if better || !worse && a.Index <= b.Index {
		return a
	}
	return b
}
