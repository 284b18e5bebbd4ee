package experiment

import (
	"slices"
	"strings"
	"testing"
)

func TestCounts(t *testing.T) {
	if n, err := ParseCounts("1, 2,4,2"); err != nil || !slices.Equal(n, []int{1, 2, 4}) {
		t.Errorf("1, 2,4,2 is read as %v (%v)", n, err)
	}
	if _, err := ParseCounts("2x"); err == nil || !strings.Contains(err.Error(), "1,2,4") {
		t.Errorf("2x is read (%v)", err)
	}
}
