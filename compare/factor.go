package compare

import (
	"maps"
	"strings"

	"gobench/record"
)

// optionPrefix begins the name of a transport option as a factor: "options.copy".
const optionPrefix = "options."

// pick returns the factors of a role without the compared one.
func pick(r record.Role, by string) []record.Factor {
	var list []record.Factor
	for _, f := range record.Factors {
		if f.Role == r && f.Name != by {
			if name, ok := strings.CutPrefix(by, optionPrefix); ok && f.Name == "options" {
				f.Text = func(p *record.Point) string { return options(p.Options, name) }
			}
			list = append(list, f)
		}
	}
	return list
}

// optionsName is the factor of all options of a transport.
const optionsName = "options"

// options formats options of a transport by name, without one of them.
func options(all map[string]string, but string) string {
	if _, ok := all[but]; ok {
		all = maps.Clone(all)
		delete(all, but)
	}
	return record.OptionsText(all)
}

// apart formats the options in which two points differ. Options of different transports always do.
func apart(a, b *record.Point, by string) (x, y string) {
	if a.Transport != b.Transport {
		return "", ""
	}
	name, _ := strings.CutPrefix(by, optionPrefix)
	left, right := maps.Clone(a.Options), maps.Clone(b.Options)
	for option, value := range a.Options {
		if other, ok := right[option]; ok && other == value {
			delete(left, option)
			delete(right, option)
		}
	}
	return options(left, name), options(right, name)
}
