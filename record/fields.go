package record

import (
	"reflect"
	"strings"
)

// pointColumns lists the JSON names of Point's fields in order. pointFields maps them to the
// indices of the fields, and pointFolded lower-case names to the names.
var (
	pointColumns = jsonNames(reflect.TypeFor[Point]())
	pointFields  = fieldIndices(reflect.TypeFor[Point]())
	pointFolded  = folded(pointColumns)
)

func jsonNames(t reflect.Type) []string {
	var names []string
	for i := range t.NumField() {
		if name := jsonName(t.Field(i)); name != "-" {
			names = append(names, name)
		}
	}
	return names
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

func fieldIndices(t reflect.Type) map[string]int {
	m := map[string]int{}
	for i := range t.NumField() {
		if name := jsonName(t.Field(i)); name != "-" {
			m[name] = i
		}
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
