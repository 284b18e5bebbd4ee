package weakmem

import (
	"maps"
	"slices"
	"testing"
)

// Verify checks that a model holds on all targets, and that without any one of its parts it does
// not hold on one of them.
func Verify(t *testing.T, model func(*Machine)) {
	t.Helper()
	parts := map[string]bool{}
	for _, target := range targets {
		s := newSearch(model, target.amd64, "")
		if v := s.run(); v != nil {
			t.Fatalf("%s: %v", target.name, v)
		}
		t.Logf("%s: %d states", target.name, len(s.visited))
		maps.Copy(parts, s.machine.parts)
	}
	if len(parts) == 0 {
		t.Error("the model names no part")
	}
	for _, part := range slices.Sorted(maps.Keys(parts)) {
		found := false
		for _, target := range targets {
			if v := newSearch(model, target.amd64, part).run(); v != nil {
				t.Logf("%s, without %q: %s", target.name, part, v.What)
				found = true
			}
		}
		if !found {
			t.Errorf("without %q nothing fails", part)
		}
	}
}
