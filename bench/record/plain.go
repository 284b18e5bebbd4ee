package record

import (
	"bytes"
	"slices"
	"strconv"
	"unicode/utf8"

	"gobench/internal/terminal"
)

// replacement stands in a row for a character that terminal.Plain replaces.
const replacement = string(utf8.RuneError)

// plainRow returns a row of valid JSON in which no text has characters that steer a
// terminal, and whether it had any. All rows that are read pass through here, because
// their text is printed by every reader.
func plainRow(line []byte) (row []byte, had bool) {
	// Nearly no row of gobench has any of these bytes: an escape, DEL, and what begins
	// C1, ARABIC LETTER MARK and the marks of direction in UTF-8.
	if bytes.IndexByte(line, '\\') < 0 && bytes.IndexByte(line, 0x7F) < 0 && bytes.IndexByte(line, 0xC2) < 0 &&
		bytes.IndexByte(line, 0xD8) < 0 && bytes.IndexByte(line, 0xE2) < 0 && utf8.Valid(line) {
		return line, false
	}
	out := slices.Grow([]byte(nil), len(line))
	for at := 0; at < len(line); {
		n, bad := character(line[at:])
		if bad {
			out = append(out, replacement...)
		} else {
			out = append(out, line[at:at+n]...)
		}
		had = had || bad
		at += n
	}
	return out, had
}

// character returns the length of the first character of valid JSON, and whether
// terminal.Plain replaces it. Blanks between values are below 0x20, too; those of a text
// are always escaped.
func character(json []byte) (n int, bad bool) {
	if json[0] < utf8.RuneSelf && json[0] != '\\' {
		return 1, json[0] == 0x7F
	}
	if json[0] != '\\' {
		r, n := utf8.DecodeRune(json)
		return n, terminal.Control(r) || r == utf8.RuneError && n == 1
	}
	if len(json) < 2 {
		return len(json), false // not valid JSON
	}
	switch json[1] {
	case 'b', 'f', 'n', 'r', 't':
		return 2, true
	case 'u':
		n := min(6, len(json))
		code, err := strconv.ParseUint(string(json[2:n]), 16, 32)
		return n, err == nil && terminal.Control(rune(code))
	}
	return 2, false
}
