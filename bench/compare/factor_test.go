package compare

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"gobench/bench/record"
)

// Every field of a point has a role: one that was forgotten would throw cells
// together that differ.
func TestEveryFieldHasARole(t *testing.T) {
	var names []string
	for i := range reflect.TypeFor[record.Point]().NumField() {
		name, _, _ := strings.Cut(reflect.TypeFor[record.Point]().Field(i).Tag.Get("json"), ",")
		if name != "-" {
			names = append(names, name)
		}
	}
	for _, f := range factors {
		i := slices.Index(names, f.name)
		if i < 0 {
			t.Errorf("%s is no field of a point", f.name)
			continue
		}
		names = slices.Delete(names, i, i+1)
		if (f.text == nil) != (f.role == outcome) {
			t.Errorf("%s: only factors have a text", f.name)
		}
	}
	if len(names) > 0 {
		t.Errorf("without role: %v", names)
	}
}

func TestMainMetricsAreInTheCatalogue(t *testing.T) {
	for _, key := range mainMetrics {
		if m, ok := record.Lookup(key); !ok || m.Key != key {
			t.Errorf("no metric %s", key)
		}
	}
	if len(metricOrder("")) != len(record.Metrics) {
		t.Error("a metric is missing")
	}
}
