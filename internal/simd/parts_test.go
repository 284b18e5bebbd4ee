package simd

import (
	"os"
	"reflect"
	"slices"
	"testing"
)

// levels returns the levels whose sets have the same functions for a part, by their addresses.
func levels(set *Set, p part) (found []string) {
	for _, s := range Sets() {
		var want, got Set
		p.take(&want, s)
		p.take(&got, set)
		if sameFuncs(reflect.ValueOf(want), reflect.ValueOf(got)) {
			found = append(found, s.Level)
		}
	}
	return found
}

func sameFuncs(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Struct:
		for i := range a.NumField() {
			if !sameFuncs(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Func:
		return a.Pointer() == b.Pointer()
	}
	return true
}

func TestChoose(t *testing.T) {
	if os.Getenv(Variable) != "" {
		if Choose(func(string) string { return "none" }) || Best().Level != os.Getenv(Variable) {
			t.Errorf("%s does not take precedence", Variable)
		}
		return
	}
	defer Choose(func(string) string { return "" })
	for i, p := range allParts {
		Choose(func(part string) string {
			if part == p.name {
				return "none"
			}
			return ""
		})
		for j, other := range allParts {
			found := levels(Best(), other)
			if i == j && !slices.Contains(found, "none") || i != j && !slices.Contains(found, best.Level) {
				t.Errorf("with %s of none, %s is of %v", p.name, other.name, found)
			}
		}
		if Best().Level != best.Level {
			t.Errorf("the level is %s", Best().Level)
		}
	}
	for _, p := range allParts {
		obeyed(t, p)
	}
	if Choose(func(string) string { return "" }); Choose(func(string) string { return "" }) {
		t.Error("the same choice counts as another one")
	}
}

// obeyed plants each candidate of a part, and names of forms that there are not.
func obeyed(t *testing.T, p part) {
	var seen []words
	names := Candidates(p.name)
	for _, name := range names {
		Choose(func(string) string { return name })
		got := Best().only([]string{p.name})
		if slices.Contains(seen, got) {
			t.Errorf("%s by %s is another candidate of %v", p.name, name, names)
		}
		seen = append(seen, got)
		if Choose(func(string) string { return name }) {
			t.Errorf("%s by %s is not what it was before", p.name, name)
		}
	}
	if seen[0] != best.only([]string{p.name}) {
		t.Errorf("%s by %s is not the usual %s", p.name, names[0], p.name)
	}
	for _, s := range Sets() {
		Choose(func(string) string { return s.Level + " unknown" })
		if Best().only([]string{p.name}) != s.only([]string{p.name}) {
			t.Errorf("%s by an unknown form of %s is not its usual form", p.name, s.Level)
		}
	}
}

// Candidates that differ are told apart, a set without its own functions does not count, and a part
// with forms has each.
func TestCandidates(t *testing.T) {
	defer func(sets []*Set) { all = sets }(all)
	dot := func(to float64) func(a, b []float64) float64 { return func(a, b []float64) float64 { return to } }
	turned := func(name string, to float64) variant {
		return variant{"solver", name, func(s *Set) { s.Solver.Dot = dot(to) }}
	}
	low := &Set{Level: "low", Solver: Solver{Dot: dot(1)}}
	middle := &Set{Level: "middle", Solver: Solver{Dot: dot(2)}, Polar: plainPolar}
	middle.vary(turned("a", 3), turned("b", 4))
	high := *middle
	high.Level, high.Polar = "high", func(_, _ []float64, _ *PolarSums) {}
	all = []*Set{low, middle, &high}
	for _, c := range []struct{ parts, want []string }{
		{[]string{"solver"}, []string{"middle a", "middle b", "low"}},
		{[]string{"polar"}, []string{"high", "middle"}},
		{[]string{"polar", "solver"}, []string{"high a", "high b", "middle a", "middle b", "low"}},
		{[]string{"flow"}, nil},
	} {
		if got := Candidates(c.parts...); !slices.Equal(got, c.want) {
			t.Errorf("candidates of %v are %q, want %q", c.parts, got, c.want)
		}
	}
	solver := allParts[slices.IndexFunc(allParts, func(p part) bool { return p.name == "solver" })]
	for name, want := range map[string]float64{"middle": 3, "middle a": 3, "middle b": 4, "high b": 4, "middle c": 3, "low b": 1, "none": 0} {
		var set Set
		known := solver.put(&set, name)
		if known != (want > 0) || known && set.Solver.Dot(nil, nil) != want {
			t.Errorf("%q is known: %v; want the solver with %v", name, known, want)
		}
	}
}

// Every kernel belongs to a part: otherwise it would stay at the best level, whatever is faster.
func TestPartsAreComplete(t *testing.T) {
	var from, to Set
	fillFuncs(reflect.ValueOf(&from).Elem())
	for _, p := range allParts {
		p.take(&to, &from)
	}
	of := reflect.TypeFor[Set]()
	for i := range of.NumField() {
		if f := of.Field(i); f.Name != "Level" && f.Name != "copy" && f.Name != "variants" && empty(reflect.ValueOf(to).Field(i)) {
			t.Errorf("%s is in no part", f.Name)
		}
	}
}

// fillFuncs sets the functions of a struct.
func fillFuncs(v reflect.Value) {
	for i := range v.NumField() {
		switch f := v.Field(i); {
		case !f.CanSet():
		case f.Kind() == reflect.Struct:
			fillFuncs(f)
		case f.Kind() == reflect.Func:
			f.Set(reflect.MakeFunc(f.Type(), func([]reflect.Value) []reflect.Value { return nil }))
		}
	}
}

func empty(v reflect.Value) bool {
	if v.Kind() == reflect.Struct {
		for i := range v.NumField() {
			if empty(v.Field(i)) {
				return true
			}
		}
		return false
	}
	return v.Kind() == reflect.Func && v.IsNil()
}
