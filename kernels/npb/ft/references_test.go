package ft

import (
	"testing"

	"gobench/kernels/npb"
)

// A step without a reference would pass with any checksum.
func TestEveryStepHasAReference(t *testing.T) {
	for _, class := range npb.Classes() {
		if got, want := len(references[class]), sizes[class].niter; got != want {
			t.Errorf("class %v has %d references for %d steps", class, got, want)
		}
	}
}
