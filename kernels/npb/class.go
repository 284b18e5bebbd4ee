package npb

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"gobench/internal/lazyregexp"
	"gobench/nearest"
)

// Class is a problem size: an official class, or a problem with a multiple or a fraction of its
// work, for weak scaling: "2A", "C/8", "9A/4" in lowest terms.
type Class string

// Official classes in increasing size: S for tests, W for a workstation of 1994; each of the others
// is about four times as large as the one before (D and E: sixteen times).
const (
	S Class = "S"
	W Class = "W"
	A Class = "A"
	B Class = "B"
	C Class = "C"
	D Class = "D"
	E Class = "E"
)

// Classes lists all official classes in increasing size.
func Classes() []Class { return []Class{S, W, A, B, C, D, E} }

// factored is a class with its factors.
var factored = lazyregexp.New(`^([1-9]\d{0,5})?([A-Za-z])(?:/([1-9]\d{0,5}))?$`)

// ParseClass reads a class, in either case. Its error is a *device.UnknownError.
func ParseClass(name string) (Class, error) {
	var known []string
	parts := factored.FindStringSubmatch(name)
	for _, c := range Classes() {
		if parts != nil && strings.EqualFold(parts[2], string(c)) {
			return c.Times(number(parts[1]), number(parts[3])), nil
		}
		known = append(known, string(c))
	}
	return "", &nearest.UnknownError{What: "class", Name: name, Known: known}
}

// number reads a factor, 1 where it is absent.
func number(digits string) int {
	if digits == "" {
		return 1
	}
	n, err := strconv.Atoi(digits)
	if err != nil {
		panic(err) // digits match the expression
	}
	return n
}

// Official reports whether the class is one of Classes.
func (c Class) Official() bool { return len(c) == 1 }

// parts returns the official class and the factor of its work, times / over.
func (c Class) parts() (letter Class, times, over int) {
	parts := factored.FindStringSubmatch(string(c))
	if parts == nil {
		return c, 1, 1
	}
	return Class(parts[2]), number(parts[1]), number(parts[3])
}

// Letter returns the official class that c is a multiple or a fraction of.
func (c Class) Letter() Class {
	letter, _, _ := c.parts()
	return letter
}

// Factor returns the work of c relative to its official class.
func (c Class) Factor() float64 {
	_, times, over := c.parts()
	return float64(times) / float64(over)
}

// Doublings returns the binary logarithm of Factor, and whether it is an integer.
func (c Class) Doublings() (n int, ok bool) {
	_, times, over := c.parts()
	return bits.Len(uint(times)) - bits.Len(uint(over)), bits.OnesCount(uint(times)) == 1 && bits.OnesCount(uint(over)) == 1
}

// Times returns the class with times / over of the work of c.
func (c Class) Times(times, over int) Class {
	letter, t, o := c.parts()
	t, o = t*times, o*over
	a, b := t, o
	for b > 0 {
		a, b = b, a%b
	}
	s := string(letter)
	if t /= a; t > 1 {
		s = strconv.Itoa(t) + s
	}
	if o /= a; o > 1 {
		s += "/" + strconv.Itoa(o)
	}
	return Class(s)
}

// Binary checks a class of a kernel whose sizes are powers of two. It returns a *FactorError if the
// factor of the class is not a power of two, or if enough is false, because the problem would be
// too small.
func Binary(kernel string, class Class, enough bool) error {
	if _, ok := class.Doublings(); !ok {
		return &FactorError{kernel, class, "its sizes are powers of two"}
	}
	if !enough {
		return &FactorError{kernel, class, "it would be too small"}
	}
	return nil
}

// A FactorError reports a class, or a multiple or fraction of one, that a kernel does not have.
type FactorError struct {
	Kernel string
	Class  Class
	Why    string // "its sizes are powers of two"
}

func (e *FactorError) Error() string {
	return fmt.Sprintf("%s has no class %s: %s", e.Kernel, e.Class, e.Why)
}

// Misfit implements exit.Misfit.
func (e *FactorError) Misfit() {}
