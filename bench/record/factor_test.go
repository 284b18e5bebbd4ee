package record

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Every field of a point has a role: one that was forgotten would throw cells
// together that differ.
func TestEveryFieldHasARole(t *testing.T) {
	var names []string
	for i := range reflect.TypeFor[Point]().NumField() {
		name, _, _ := strings.Cut(reflect.TypeFor[Point]().Field(i).Tag.Get("json"), ",")
		if name != "-" {
			names = append(names, name)
		}
	}
	for _, f := range Factors {
		i := slices.Index(names, f.Name)
		if i < 0 {
			t.Errorf("%s is no field of a point", f.Name)
			continue
		}
		names = slices.Delete(names, i, i+1)
		if (f.Text == nil) != (f.Role == Outcome) {
			t.Errorf("%s: only factors have a text", f.Name)
		}
	}
	if len(names) > 0 {
		t.Errorf("without role: %v", names)
	}
}
