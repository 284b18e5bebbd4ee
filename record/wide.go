package record

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// wideOrder returns the byte order of a text in UTF-16, nil for other text. It begins with a mark,
// or with the brace of a row. PowerShell writes what it redirects so.
func wideOrder(begin []byte) binary.ByteOrder {
	switch {
	case bytes.HasPrefix(begin, []byte{0xff, 0xfe}), bytes.HasPrefix(begin, []byte{'{', 0}):
		return binary.LittleEndian
	case bytes.HasPrefix(begin, []byte{0xfe, 0xff}), bytes.HasPrefix(begin, []byte{0, '{'}):
		return binary.BigEndian
	}
	return nil
}

// A wideReader reads a text in UTF-16 as UTF-8. Half a character at the end is dropped: it belongs
// to a line that is incomplete.
type wideReader struct {
	in    *bufio.Reader
	order binary.ByteOrder
	room  []byte
	out   []byte // read and not returned yet, a part of room
}

// Read implements io.Reader.
func (w *wideReader) Read(b []byte) (int, error) {
	if len(w.out) == 0 {
		w.out = w.room[:0]
		for len(w.out) < blockSize {
			unit, err := w.unit()
			if err == nil && utf16.IsSurrogate(unit) {
				var second rune
				if second, err = w.unit(); err == nil {
					unit = utf16.DecodeRune(unit, second)
				}
			}
			if err == io.ErrUnexpectedEOF {
				err = io.EOF
			}
			if err != nil && len(w.out) == 0 {
				return 0, err
			}
			if err != nil {
				break // it is returned by the next call
			}
			w.out = utf8.AppendRune(w.out, unit)
		}
		w.room = w.out
	}
	n := copy(b, w.out)
	w.out = w.out[n:]
	return n, nil
}

// unit reads 16 bits.
func (w *wideReader) unit() (rune, error) {
	var b [2]byte
	_, err := io.ReadFull(w.in, b[:])
	return rune(w.order.Uint16(b[:])), err
}
