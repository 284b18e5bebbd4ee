package figure

import (
	"strings"
	"testing"
	"unicode/utf8"

	"gonum.org/v1/plot/vg"
)

// The text measured to break a word into lines grows linearly with its length, so that a malicious
// record does not delay a report.
func TestWrapMeasuresLinearly(t *testing.T) {
	for _, n := range []int{100, 1_000, 100_000} {
		measured := 0
		ten := func(s string) vg.Length {
			measured += len(s)
			return vg.Length(utf8.RuneCountInString(s))
		}
		lines := wrap(strings.Repeat("é", n/2)+" "+strings.Repeat("x", n), ten, 40)
		if got := strings.Join(lines, ""); len(got) != 2*n {
			t.Errorf("%d of %d bytes are left", len(got), 2*n)
		}
		for _, l := range lines {
			if !utf8.ValidString(l) || utf8.RuneCountInString(l) > 40 {
				t.Errorf("line %q", l)
			}
		}
		if got := len(words(strings.Repeat("123 ", n))); got < n/40 {
			t.Errorf("%d words of %d groups of digits", got, n)
		}
		if measured > 40*n {
			t.Errorf("%d bytes of text were measured for %d bytes", measured, 2*n)
		}
	}
}

// Names of a legend that are wider than the figure end with an ellipsis.
func TestShortened(t *testing.T) {
	measure := func(s string) vg.Length { return vg.Length(utf8.RuneCountInString(s)) }
	for name, want := range map[string]string{"": "", "0123456789": "0123456789", "01234567890": "012345678…", "éééé ééééééé": "éééé éééé…", "01234567 901": "01234567…"} {
		if got := shortened(name, measure, 10); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Every line is as long as it can be, and no shorter than a character.
func TestWrapFillsLines(t *testing.T) {
	measure := func(s string) vg.Length { return vg.Length(utf8.RuneCountInString(s)) }
	for text, want := range map[string]string{
		"":                      "",
		"one two three":         "one two|three",
		"abcdefghijklmnopqrstu": "abcdefghij|klmnopqrst|u",
		"ab abcdefghijkl mn":    "ab|abcdefghij|kl mn",
		"ééééééééééé":           "éééééééééé|é",
		"FT has 10 561 Mop/s":   "FT has|10 561|Mop/s",
		"of 2012 100 are":       "of 2012|100 are",
		"up 1 234 567; 12 x":    "up|1 234 567;|12 x",
	} {
		if got := strings.Join(wrap(text, measure, 10), "|"); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := wrap("éé", measure, 0.5); len(got) != 2 {
		t.Errorf("too narrow for a character: %q", got)
	}
}

// A character that the font lacks is visible.
func TestCharactersThatTheFontLacks(t *testing.T) {
	if got, want := drawable(letters(), "ünï ± µs 漢字\U0001f600"), "ünï ± µs ???"; got != want {
		t.Errorf("%q is drawn, want %q", got, want)
	}
}
