package coll

import (
	"fmt"
	"strings"

	"gobench/comm/schedule"
	"gobench/device"
	"gobench/internal/profile"
)

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
