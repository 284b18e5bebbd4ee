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
	if Choose(func(string) string { return "" }); Choose(func(string) string { return "" }) {
		t.Error("the same choice counts as another one")
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
		if f := of.Field(i); f.Name != "Level" && f.Name != "copy" && empty(reflect.ValueOf(to).Field(i)) {
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
