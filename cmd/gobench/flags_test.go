package main

import (
	"strings"
	"testing"
)

// Warnings name files, whose names may have any characters.
func TestWarningsHaveNoControlCharacters(t *testing.T) {
	var out strings.Builder
	printWarnings(&out, []string{"a\n\x1b[2Jb is left out"})
	if got := out.String(); strings.Count(got, "\n") != 1 || strings.Contains(got, "\x1b") {
		t.Errorf("%q", got)
	}
}
