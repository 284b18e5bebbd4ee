package weakmem

import (
	"maps"
	"slices"
	"testing"
)

// A Model builds a program on a machine.
type Model struct {
	Name  string
	Build func(*Machine)
	// Full gives all accesses the orderings of sync/atomic, as the code has, also where the model
	// needs less. Such a model has a tenth of the states.
	Full bool
}

// Verify checks that models hold on all targets, and that without any one of their parts one of
// them does not hold.
func Verify(t *testing.T, models ...Model) {
	t.Helper()
	parts := map[string]bool{}
	for _, model := range models {
		for _, target := range targets {
			s := newSearch(model, target.amd64, "")
			if v := s.run(); v != nil {
				t.Fatalf("%s, %s: %v", model.Name, target.name, v)
			}
			t.Logf("%s, %s: %d states", model.Name, target.name, len(s.visited))
			maps.Copy(parts, s.machine.parts)
			if !*s.machine.differs {
				break
			}
		}
	}
	if len(parts) == 0 {
		t.Error("the models name no part")
	}
	for _, part := range slices.Sorted(maps.Keys(parts)) {
		if !needed(t, part, models) {
			t.Errorf("without %q nothing fails", part)
		}
	}
}

// needed reports whether a model does not hold without a part.
func needed(t *testing.T, part string, models []Model) bool {
	for _, model := range models {
		for _, target := range targets {
			s := newSearch(model, target.amd64, part)
			s.limit = maxWithout
			if v := s.run(); v != nil && !s.exceeded {
				t.Logf("without %q: %s (%s, %s)", part, v.What, model.Name, target.name)
				return true
			}
			if !*s.machine.differs {
				break
			}
		}
	}
	return false
}
