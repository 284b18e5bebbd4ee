package terminal

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Plain returns s with every character that could control a terminal, or reorder the text
// around it, replaced by U+FFFD: control characters (C0, DEL, C1), marks that change the
// direction of text, and line separators. Bytes that are not UTF-8 are replaced, too. The
// characters in keep stay.
func Plain(s string, keep ...rune) string {
	return strings.Map(func(r rune) rune {
		if Control(r) && !slices.Contains(keep, r) {
			return utf8.RuneError
		}
		return r
	}, s)
}

// Control reports whether Plain replaces r.
func Control(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7F && r <= 0x9F: // C0, DEL, C1
		return true
	case r == 0x061C, r == 0x200E, r == 0x200F, r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069: // direction
		return true
	}
	return r == 0x2028 || r == 0x2029 // separators of lines and paragraphs
}
