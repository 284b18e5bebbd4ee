package lazyregexp

import (
	"slices"
	"testing"
)

// A wrong pattern is found where a package is initialised by its test.
func TestWrongPatternPanicsInTests(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("New accepted a wrong pattern")
		}
	}()
	New(`(`)
}

// A text without the marks of an expression has no match, so that looking for these first changes
// no result.
func TestMarks(t *testing.T) {
	for pattern, want := range map[string][]string{
		`^Version\s*=\s*(\S+)`:         {"Version"},
		`(?:Copy|Scale): +(\d+)`:       {"Copy", "Scale"},
		`a(?:bcd)?e+`:                  {"a"},
		`(?:long text|x)? short (one)`: {" short "},
		`(?i)error`:                    nil,
		`\d+|x`:                        nil,
		`[ab]*`:                        nil,
	} {
		if got := New(pattern).compiled().marks; !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", pattern, got, want)
		}
	}
	r := New(`(\w+) short (one)`)
	if m := r.FindStringSubmatch("a short one"); len(m) != 3 || r.MatchString("a long one") || r.FindStringIndex("short one") != nil {
		t.Errorf("%q", m)
	}
	if got := r.ReplaceAllString("a short one, a long one", "$2"); got != "one, a long one" {
		t.Errorf("%q", got)
	}
}
