package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf8"
)

// errObject is returned for a row that is not a JSON object.
var errObject = errors.New("it is not a JSON object")

// split calls visit with every name and raw value of a JSON object in their order. object must be
// valid JSON; visit must not keep its arguments. Names are passed without escapes.
func split(object []byte, visit func(name, value []byte) error) error {
	s := splitter{object, 0}
	if s.skipSpace(); s.next() != '{' {
		return errObject
	}
	for {
		s.skipSpace()
		switch s.peek() {
		case '}':
			return nil
		case ',':
			s.at++
			s.skipSpace()
		}
		name := s.text()
		if len(name) < 2 {
			return errObject // not valid JSON
		}
		s.skipSpace()
		s.next() // the colon
		s.skipSpace()
		value := s.value()
		key, ok := plain(name)
		if !ok {
			var text string
			if err := json.Unmarshal(name, &text); err != nil {
				return err
			}
			key = []byte(text)
		}
		if err := visit(key, value); err != nil {
			return err
		}
	}
}

// plain returns the text between the quotes of a JSON string without escapes.
func plain(quoted []byte) (text []byte, ok bool) {
	if len(quoted) < 2 || quoted[0] != '"' {
		return nil, false
	}
	text = quoted[1 : len(quoted)-1]
	return text, bytes.IndexByte(text, '\\') < 0 && utf8.Valid(text)
}

// splitter scans valid JSON from a position on.
type splitter struct {
	b  []byte
	at int
}

func (s *splitter) peek() byte {
	if s.at >= len(s.b) {
		return '}'
	}
	return s.b[s.at]
}

func (s *splitter) next() byte {
	c := s.peek()
	s.at = min(s.at+1, len(s.b))
	return c
}

func (s *splitter) skipSpace() {
	for s.at < len(s.b) {
		switch s.b[s.at] {
		case ' ', '\t', '\r', '\n':
			s.at++
		default:
			return
		}
	}
}

// text returns a string with its quotes.
func (s *splitter) text() []byte {
	from := s.at
	for s.next(); s.at < len(s.b); s.at++ {
		switch s.b[s.at] {
		case '\\':
			s.at = min(s.at+1, len(s.b)-1)
		case '"':
			s.at++
			return s.b[from:s.at]
		}
	}
	return s.b[from:]
}

// value returns one value as it is written.
func (s *splitter) value() []byte {
	from := s.at
	switch s.peek() {
	case '"':
		return s.text()
	case '{', '[':
		for depth := 0; s.at < len(s.b); {
			switch s.b[s.at] {
			case '"':
				s.text()
				continue
			case '{', '[':
				depth++
			case '}', ']':
				depth--
			}
			s.at++
			if depth == 0 {
				return s.b[from:s.at]
			}
		}
		return s.b[from:]
	}
	for s.at < len(s.b) {
		switch s.b[s.at] {
		case ',', '}', ']', ' ', '\t', '\r', '\n':
			return s.b[from:s.at]
		}
		s.at++
	}
	return s.b[from:]
}
