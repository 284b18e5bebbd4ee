package npb

import (
	"strings"

	"gobench/internal/nearest"
)

// Class is a problem size.
type Class byte

// Classes in increasing size: S for tests, W for a workstation of 1994; each of the others is about
// four times as large as the one before (D and E: sixteen times).
const (
	S Class = 'S'
	W Class = 'W'
	A Class = 'A'
	B Class = 'B'
	C Class = 'C'
	D Class = 'D'
	E Class = 'E'
)

// Classes lists all classes in increasing size.
func Classes() []Class { return []Class{S, W, A, B, C, D, E} }

func (c Class) String() string { return string(rune(c)) }

// ParseClass reads the letter of a class, in either case. Its error is a *nearest.UnknownError.
func ParseClass(name string) (Class, error) {
	var known []string
	for _, c := range Classes() {
		if strings.EqualFold(name, c.String()) {
			return c, nil
		}
		known = append(known, c.String())
	}
	return 0, &nearest.UnknownError{What: "class", Name: name, Known: known, List: "known"}
}
