package record

import (
	"bytes"
	"slices"
	"strconv"
	"unicode/utf8"

	"gobench/internal/terminal"
)

// replacement stands for a character that terminal.Plain replaces.
const replacement = string(utf8.RuneError)

// PlainRow replaces the terminal control characters in the text of a row of valid JSON. had reports
// whether there were any. It is applied to all rows that are read, because their text is printed.
func PlainRow(line []byte) (row []byte, had bool) {
	// Rows of gobench rarely contain these bytes: a backslash, DEL, and the first bytes of C1,
	// ARABIC LETTER MARK and the direction marks in UTF-8.
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

// character returns the length of the first character of valid JSON, and whether terminal.Plain
// replaces it. Characters below 0x20 are white space between values; within text they are always
// escaped.
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
