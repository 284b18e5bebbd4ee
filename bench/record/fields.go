package record

import (
	"reflect"
	"strings"
)

// pointColumns are the JSON names of the fields of Point, in order,
// pointFields the same as a set, and pointFolded by their lower-case spelling.
var (
	pointColumns = jsonNames(reflect.TypeFor[Point]())
	pointFields  = set(pointColumns)
	pointFolded  = folded(pointColumns)
)

func jsonNames(t reflect.Type) []string {
	var names []string
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name != "-" {
			names = append(names, name)
		}
	}
	return names
}

func set(names []string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, n := range names {
		m[n] = true
	}
	return m
}

func folded(names []string) map[string]string {
	m := make(map[string]string, len(names))
	for _, n := range names {
		m[strings.ToLower(n)] = n
	}
	return m
}
