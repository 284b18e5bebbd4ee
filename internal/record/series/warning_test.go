package series_test

import (
	"testing"

	"gobench/internal/record/series"
)

func TestWarningsOfOneKind(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "",
		"lost 26 % on core 1":           "lost 0 % on core 0",
		"1.5e-07 s, 2e+3, 3e, 4e-x, 5.": "0 s, 0, 0e, 0e-x, 0",
		"v1.2..3e-4-5":                  "v0-0",
		"µ8 e-5":                        "µ0 e-0",
		"line 7 is left out: x":         "line 7 is left out: x",
		"lines 7 and 8 are left out: x": "lines 7 and 8 are left out: x",
	} {
		if got := series.WarningKind(text); got != want {
			t.Errorf("%q is of the kind %q, want %q", text, got, want)
		}
	}
}
