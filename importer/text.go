package importer

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"gobench/internal/terminal"
	"gobench/internal/unpack"
)

// packed lists the first bytes of compressed files that are not read, by the program that reads
// them.
var packed = map[string]string{"xz": "\xfd7zXZ\x00", "lz4": "\x04\x22\x4d\x18", "unzip": "PK\x03\x04"}

// unpacked decompresses the bytes of a log that gzip, bzip2 or zstd compressed. Others are returned
// as they are. At most largestLog bytes are decompressed.
func unpacked(data []byte) ([]byte, error) {
	r, compressed, err := unpack.Reader(bufio.NewReader(bytes.NewReader(data)))
	switch {
	case err != nil:
		return nil, fmt.Errorf("it is compressed and damaged: %w", err)
	case !compressed:
		for program, begin := range packed {
			if bytes.HasPrefix(data, []byte(begin)) {
				return nil, fmt.Errorf("it is compressed: decompress it with %s first", program)
			}
		}
		return data, nil
	}
	plain, err := io.ReadAll(io.LimitReader(r, largestLog+1))
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF) && len(plain) > 0:
		return plain, nil // of a program that still runs; its last line is left out as incomplete
	case err != nil:
		return nil, fmt.Errorf("it is compressed and damaged: %w", err)
	}
	return plain, nil
}

// decode returns the text of a log in UTF-8: without a byte order mark, and from UTF-16, which
// PowerShell writes.
func decode(data []byte) string {
	if text, ok := bytes.CutPrefix(data, []byte("\xef\xbb\xbf")); ok {
		return string(text)
	}
	order := wideOrder(data)
	if order == nil {
		return string(data)
	}
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	text := string(utf16.Decode(units))
	return strings.TrimPrefix(text, "\ufeff")
}

// wideOrder returns the byte order of UTF-16, nil if the data are not UTF-16. Without a mark, text
// of mostly ASCII has a zero in every other byte.
func wideOrder(data []byte) binary.ByteOrder {
	switch {
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}):
		return binary.LittleEndian
	case bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		return binary.BigEndian
	}
	var zeros [2]int
	begin := data[:min(len(data), 1024)]
	for i, b := range begin {
		if b == 0 {
			zeros[i%2]++
		}
	}
	switch share := len(begin) / 4; {
	case share > 0 && zeros[1] > share && zeros[0] == 0:
		return binary.LittleEndian
	case share > 0 && zeros[0] > share && zeros[1] == 0:
		return binary.BigEndian
	}
	return nil
}

// A line is one line of a log.
type line struct {
	text   string // without the prefix, and without spaces at both ends
	number int    // in the log, from 1
	indent int    // spaces before the text, behind the prefix
	prefix string // of a launcher or of time stamps
	stream string // prefix without time stamps: lines of other ranks have another
}

// escapes matches escape sequences of terminals: of colours and the cursor, of titles of windows,
// of character sets, and those of one character.
var escapes = match("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b\n]*(?:\x07|\x1b\\\\)|[()][0-9A-Z]|[=>78])")

// emphasised matches a number that Markdown prints in bold: "**920.13**".
var emphasised = match(`\*\*(-?\d[\d.,]*)\*\*`)

// linesOf splits the text of a log. All text of a log that enters a record passes the filter of
// control characters here. complete reports that the last line ends with a newline, or with the
// end of a JSON object; otherwise it is left out, because its last number may be truncated.
func linesOf(text string) (lines []line, complete bool) {
	if strings.Contains(text, "\x1b") {
		text = escapes.ReplaceAllString(text, "")
	}
	if strings.Contains(text, "**") {
		text = emphasised.ReplaceAllString(text, "$1")
	}
	text = strings.NewReplacer("\t", " ", "\r\n", "\n", "\r", "\n").Replace(text)
	text = joinContinued(terminal.Plain(text, '\n'))
	for t := range strings.Lines(text) {
		indent := len(t) - len(strings.TrimLeft(t, " "))
		lines = append(lines, line{text: strings.TrimSpace(t), number: len(lines) + 1, indent: indent})
	}
	last := len(lines) - 1
	// A JSON object may end without a newline; its brace cannot be a part of a number.
	if complete = last < 0 || strings.HasSuffix(text, "\n") || strings.HasSuffix(text, "}"); !complete {
		lines = lines[:last]
	}
	return lines, complete
}

// endsInLetter reports whether the last character of a text is a letter, a digit or "_".
func endsInLetter(text string) bool {
	r, _ := utf8.DecodeLastRuneInString(text)
	return r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

// gitlabLine matches the mark before a line of a job log of GitLab: the time, the number and the
// kind of the stream, and + if the line continues the one before of the stream, where the job had
// written no line end yet.
var gitlabLine = match(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z ([0-9a-f]{2}[OE])([ +])`)

// joinContinued appends lines that GitLab marks as continued to the lines before. It leaves empty
// lines in their place, so that the numbers of lines stay.
func joinContinued(text string) string {
	var lines []string
	last := map[string]int{} // line of a stream
	joined := false
	for l := range strings.Lines(text) {
		m := gitlabLine.FindStringSubmatch(l)
		at, known := 0, false
		if m != nil {
			at, known = last[m[1]]
		}
		if known && m[2] == "+" {
			lines[at] = strings.TrimSuffix(lines[at], "\n") + l[len(m[0]):]
			l, joined = "\n", true
		} else if m != nil {
			last[m[1]] = len(lines)
		}
		lines = append(lines, l)
	}
	if !joined {
		return text
	}
	return strings.Join(lines, "")
}
