package compare

import (
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
