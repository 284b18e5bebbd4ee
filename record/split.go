package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf8"
)

var (
	// errObject is returned for a row that is not a JSON object.
	errObject = errors.New("it is not a JSON object")
	// errSyntax is returned for text that is no JSON. Package encoding/json says where and why.
	errSyntax = errors.New("it is not valid JSON")
)

// maxDepth bounds the nesting of values, as in encoding/json.
const maxDepth = 10000

// split calls visit with every name and raw value of a JSON object in their order. It returns
// errSyntax where encoding/json.Valid reports false, if visit has returned no error before. visit
// must not keep its arguments. Names are passed without escapes.
func split(object []byte, visit func(name, value []byte) error) error {
	s := splitter{b: object}
	return s.object(func() error { return s.members(visit) })
}

// object reads a text of one object, whose members, if it has any, are read by members.
func (s *splitter) object(members func() error) error {
	if s.skipSpace(); s.peek() != '{' {
		if json.Valid(s.b) {
			return errObject
		}
		return errSyntax
	}
	s.at++
	if s.skipSpace(); s.peek() == '}' {
		s.at++
	} else if err := members(); err != nil {
		return err
	}
	if s.skipSpace(); s.at < len(s.b) {
		return errSyntax
	}
	return nil
}

// plain returns the text between the quotes of a JSON string without escapes.
func plain(quoted []byte) (text []byte, ok bool) {
	if len(quoted) < 2 || quoted[0] != '"' {
		return nil, false
	}
	text = quoted[1 : len(quoted)-1]
	return text, bytes.IndexByte(text, '\\') < 0 && utf8.Valid(text)
}

// splitter scans JSON from a position on.
type splitter struct {
	b  []byte
	at int
}

// peek returns the next byte, 0 at the end.
func (s *splitter) peek() byte {
	if s.at >= len(s.b) {
		return 0
	}
	return s.b[s.at]
}

func (s *splitter) skipSpace() {
	for s.at < len(s.b) && (s.b[s.at] == ' ' || s.b[s.at] == '\t' || s.b[s.at] == '\r' || s.b[s.at] == '\n') {
		s.at++
	}
}

// members visits the members of a not empty object behind its opening brace, up to the closing one.
func (s *splitter) members(visit func(name, value []byte) error) error {
	for {
		s.skipSpace()
		key, err := s.name()
		if err != nil {
			return err
		}
		from := s.at
		if !s.value(1) {
			return errSyntax
		}
		if err := visit(key, s.b[from:s.at]); err != nil {
			return err
		}
		switch s.after('}') {
		case end:
			return nil
		case wrong:
			return errSyntax
		}
	}
}

// name reads the name of a member and the colon behind it.
func (s *splitter) name() ([]byte, error) {
	from := s.at
	if !s.text() {
		return nil, errSyntax
	}
	quoted := s.b[from:s.at]
	if !s.colon() {
		return nil, errSyntax
	}
	if key, ok := plain(quoted); ok {
		return key, nil
	}
	var text string
	err := json.Unmarshal(quoted, &text)
	return []byte(text), err
}

// colon skips a colon and the space around it.
func (s *splitter) colon() bool {
	if s.skipSpace(); s.peek() != ':' {
		return false
	}
	s.at++
	s.skipSpace()
	return true
}

type next int

const (
	more  next = iota // a comma: another element follows
	end               // the closing bracket
	wrong             // something else
)

// after skips what follows an element: a comma, or the closing bracket.
func (s *splitter) after(closing byte) next {
	s.skipSpace()
	c := s.peek()
	s.at++
	switch c {
	case ',':
		return more
	case closing:
		return end
	}
	return wrong
}

// text skips a string with its quotes.
func (s *splitter) text() bool {
	if s.peek() != '"' {
		return false
	}
	for s.at++; s.at < len(s.b); s.at++ {
		switch c := s.b[s.at]; {
		case c == '"':
			s.at++
			return true
		case c < ' ':
			return false
		case c == '\\':
			if s.at++; !s.escape() {
				return false
			}
		}
	}
	return false
}

// escape checks what follows a backslash, up to its last byte.
func (s *splitter) escape() bool {
	switch s.peek() {
	case 'b', 'f', 'n', 'r', 't', '\\', '/', '"':
		return true
	case 'u':
		for range 4 {
			s.at++
			if c := s.peek() | 0x20; !(c >= '0' && c <= '9' && s.peek() == c || c >= 'a' && c <= 'f') {
				return false
			}
		}
		return true
	}
	return false
}

// value skips one value, whose nesting in others is depth.
func (s *splitter) value(depth int) bool {
	switch c := s.peek(); {
	case c == '"':
		return s.text()
	case c == '-' || isDigit(c):
		return s.number()
	case c == '{' || c == '[':
		return depth < maxDepth && s.nested(c+2, depth+1) // the closing bracket is two places on in ASCII
	}
	for _, word := range [...]string{"true", "false", "null"} {
		if bytes.HasPrefix(s.b[s.at:], []byte(word)) {
			s.at += len(word)
			return true
		}
	}
	return false
}

// nested skips an object or array.
func (s *splitter) nested(closing byte, depth int) bool {
	s.at++
	if s.skipSpace(); s.peek() == closing {
		s.at++
		return true
	}
	for {
		if s.skipSpace(); closing == '}' && !(s.text() && s.colon()) {
			return false
		}
		if !s.value(depth) {
			return false
		}
		switch s.after(closing) {
		case end:
			return true
		case wrong:
			return false
		}
	}
}

// number skips a number.
func (s *splitter) number() bool {
	if s.peek() == '-' {
		s.at++
	}
	if s.peek() == '0' {
		s.at++
	} else if !s.digits() {
		return false
	}
	if s.peek() == '.' {
		if s.at++; !s.digits() {
			return false
		}
	}
	if s.peek()|0x20 == 'e' {
		if s.at++; s.peek() == '+' || s.peek() == '-' {
			s.at++
		}
		return s.digits()
	}
	return true
}

// digits skips one or more digits.
func (s *splitter) digits() bool {
	from := s.at
	for s.at < len(s.b) && isDigit(s.b[s.at]) {
		s.at++
	}
	return s.at > from
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
