package lazyregexp

import "testing"

// A wrong pattern is found where a package is initialised by its test.
func TestWrongPatternPanicsInTests(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("New accepted a wrong pattern")
		}
	}()
	New(`(`)
}
