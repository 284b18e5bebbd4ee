package terminal

import "testing"

func TestPlainLeavesNothingThatSteersATerminal(t *testing.T) {
	for s, want := range map[string]string{
		"node1, 8 KiB ± 10 µs": "node1, 8 KiB ± 10 µs",
		"\x1b]0;title\x07":     "\uFFFD]0;title\uFFFD",
		"a\u009b2Jb\x7fc":      "a\uFFFD2Jb\uFFFDc",
		"8-bit \x9b2J":         "8-bit \uFFFD2J",
		"\u202Egpj.exe\u2069":  "\uFFFDgpj.exe\uFFFD",
		"one\ntwo\tthree\r":    "one\uFFFDtwo\uFFFDthree\uFFFD",
		"\u2028line\u061c":     "\uFFFDline\uFFFD",
	} {
		if got := Plain(s); got != want {
			t.Errorf("Plain(%q) = %q, want %q", s, got, want)
		}
	}
	if got, want := Plain("a\tb\n\x1b[m", '\t', '\n'), "a\tb\n\uFFFD[m"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
