package coll

import (
	"fmt"
	"strconv"
	"strings"

	"gobench/comm/schedule"
	"gobench/device"
	"gobench/device/profile"
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

// A SizedChoice is the choice for blocks of up to a number of bytes.
type SizedChoice struct {
	Bytes  int
	Choice Choice
}

// profileRanks is the number of ranks for which a profile chooses algorithms: its trials have no
// more.
const profileRanks = 2

// RoutineOf returns the name of an operation over a transport in a profile.
func RoutineOf(transport string, kind schedule.Kind) string {
	return transport + " " + kind.String()
}

// FormatSized returns choices in ascending order of sizes as text, the last one for all longer
// blocks: "smem-copy to 65536, binomial".
func FormatSized(list []SizedChoice) string {
	var b strings.Builder
	for i, c := range list {
		last := i+1 == len(list)
		if !last && list[i+1].Choice.String() == c.Choice.String() {
			continue
		}
		b.WriteString(c.Choice.String())
		if !last {
			fmt.Fprintf(&b, " to %d, ", c.Bytes)
		}
	}
	return b.String()
}

// parseSized reads the text of FormatSized.
func parseSized(kind schedule.Kind, text string) ([]SizedChoice, error) {
	var list []SizedChoice
	for _, part := range strings.Split(text, ",") {
		name, limit, limited := strings.Cut(strings.TrimSpace(part), " to ")
		choice, err := ParseChoice(kind, name)
		if err != nil {
			return nil, err
		}
		one := SizedChoice{Choice: choice}
		if limited {
			if one.Bytes, err = device.ParseBytes(limit); err != nil {
				return nil, err
			}
		}
		list = append(list, one)
	}
	return list, nil
}

// WithProfile returns the table followed by the algorithms that a profile chooses for two ranks of
// a transport, where they are not the defaults. What this build does not know is left out. A nil
// table, and one that is Defaults, stay where there are none.
func (t *Table) WithProfile(transport string, p *profile.Profile) *Table {
	var rules []Rule
	for kind := range schedule.Kinds {
		list, err := parseSized(schedule.Kind(kind), p.Pick(RoutineOf(transport, schedule.Kind(kind))))
		if err != nil {
			continue
		}
		for _, c := range list {
			shape := schedule.Shape{Kind: schedule.Kind(kind), Ranks: profileRanks, Bytes: c.Bytes, Elem: 1}
			if c.Bytes == 0 {
				shape.Bytes = 1 << 30
			}
			if len(list) > 1 || defaultTable.Choose(transport, &shape, true).String() != c.Choice.String() {
				rules = append(rules, Rule{Transport: transport, Kind: schedule.Kind(kind), Ranks: profileRanks, Bytes: c.Bytes, Choice: c.Choice})
			}
		}
	}
	if rules == nil {
		return t
	}
	all := &Table{Origin: defaultTable.Origin}
	if t != nil && t != defaultTable {
		*all = *t
	}
	all.Rules = append(all.Rules[:len(all.Rules):len(all.Rules)], rules...)
	return all
}
