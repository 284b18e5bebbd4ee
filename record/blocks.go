package record

import (
	"bytes"
	"fmt"
	"io"
	"slices"
)

// maxLine bounds the length of a line in bytes, so that files of other formats do not fill the
// memory.
const maxLine = 16 << 20

var errLong = fmt.Errorf("it is longer than %d MiB", maxLine>>20)

// blockSize is the number of bytes read in one call.
const blockSize = 512 << 10

// blocks cuts a stream into blocks of whole lines.
type blocks struct {
	in   io.Reader
	line int    // number of the first line of the next block
	last int    // number of the last line of all blocks so far
	rest []byte // read and not returned yet
}

// next reads the next block into buf, which it may replace by a larger one, and returns it. With an
// error (io.EOF at the end) it returns the whole lines before the error. At the end the block
// includes the text after the last newline.
func (b *blocks) next(buf []byte) (block, error) {
	buf = append(slices.Grow(buf[:0], blockSize), b.rest...)
	b.rest = b.rest[:0]
	var err error
	end := bytes.LastIndexByte(buf, '\n') + 1
	for end == 0 && err == nil && len(buf) <= maxLine {
		buf = slices.Grow(buf, 1)
		from := len(buf)
		var n int
		n, err = io.ReadFull(b.in, buf[from:cap(buf)])
		buf = buf[:from+n]
		end = bytes.LastIndexByte(buf, '\n') + 1
	}
	switch {
	case end == 0 && len(buf) > maxLine:
		err = errLong
	case err == nil:
		b.rest = append(b.rest, buf[end:]...)
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		err, end = io.EOF, len(buf)
	}
	whole := block{lines: buf[:end], number: b.line}
	b.line += bytes.Count(whole.lines, []byte{'\n'})
	if bytes.HasSuffix(whole.lines, []byte{'\n'}) {
		b.last = b.line - 1
	} else if len(whole.lines) > 0 {
		b.last = b.line
	}
	return whole, err
}

// skip reads the stream to its end or to an error, and returns the number of its last line.
func (b *blocks) skip() int {
	var buf []byte
	for err := error(nil); err == nil; {
		var whole block
		whole, err = b.next(buf)
		buf = whole.lines
	}
	return b.last
}

// byteOrderMark is the first character of files of UTF-8 that some editors write. Files that are
// joined have it in the middle.
const byteOrderMark = "\ufeff"

// trimmed returns a line without the blanks around it and without a byte order mark.
func trimmed(line []byte) []byte {
	return bytes.TrimPrefix(bytes.TrimSpace(line), []byte(byteOrderMark))
}

// block holds consecutive lines of a file.
type block struct {
	lines  []byte
	number int // of the first line
}

// cut removes a torn last line: the beginning of a row without newline. A crash of the machine may
// leave zero bytes instead.
func (b *block) cut() (torn bool) {
	start := bytes.LastIndexByte(b.lines, '\n') + 1
	last := b.lines[start:]
	if isTorn(last) {
		b.lines = b.lines[:start]
		return true
	}
	return false
}
