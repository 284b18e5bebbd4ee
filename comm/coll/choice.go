package coll

import (
	"fmt"
	"strconv"
	"strings"

	"gobench/comm/schedule"
	"gobench/device"
	"gobench/internal/renamed"
	"gobench/nearest"
)

// Choice is an algorithm with its parameter.
type Choice struct {
	*Algorithm
	Number int // the parameter; Default where none was given
}

// String returns NAME or NAME:NUMBER: "ring", "knomial:4".
func (c Choice) String() string {
	if c.Algorithm == nil {
		return ""
	}
	if c.Param == "" {
		return c.Name
	}
	return c.Name + ":" + strconv.Itoa(c.Number)
}

// ParseChoice parses NAME or NAME:NUMBER, also with a name of earlier versions of gobench. Its
// errors are a *device.UnknownError and a *ParamError.
func ParseChoice(kind schedule.Kind, text string) (Choice, error) {
	name, number, given := strings.Cut(strings.TrimSpace(text), ":")
	name = renamed.Algorithm(kind.String(), name)
	var known []string
	list := Of(kind)
	for i := range list {
		a := &list[i]
		if a.Name != name {
			known = append(known, a.Name)
			continue
		}
		if !given {
			return Choice{a, a.Default}, nil
		}
		n, err := device.ParseBytes(number)
		if a.Param == "" || err != nil || n < 1 {
			return Choice{}, &ParamError{kind, a, number}
		}
		return Choice{a, n}, nil
	}
	return Choice{}, &nearest.UnknownError{What: "algorithm of " + kind.String(), Name: name, Known: known}
}

// A ParamError reports a parameter that an algorithm does not take.
type ParamError struct {
	Kind      schedule.Kind
	Algorithm *Algorithm
	Text      string
}

func (e *ParamError) Error() string {
	if e.Algorithm.Param == "" {
		return fmt.Sprintf("algorithm %s of %v takes no parameter, and :%s is one", e.Algorithm.Name, e.Kind, e.Text)
	}
	return fmt.Sprintf("the parameter of algorithm %s of %v is %q, want %s, such as %s:%d",
		e.Algorithm.Name, e.Kind, e.Text, e.Algorithm.Param, e.Algorithm.Name, e.Algorithm.Default)
}

// Choices returns the choices of one operation that gobench tune tries: every algorithm with every
// one of its Values.
func Choices(kind schedule.Kind) []Choice {
	var list []Choice
	all := Of(kind)
	for i := range all {
		a := &all[i]
		if a.Param == "" {
			list = append(list, Choice{a, 0})
		}
		for _, n := range a.Values {
			list = append(list, Choice{a, n})
		}
	}
	return list
}

// fits returns the reason why the choice cannot be used for a shape, or "".
func (c Choice) fits(s *schedule.Shape) string {
	if c.Algorithm.Fits == nil {
		return ""
	}
	return c.Algorithm.Fits(s)
}
