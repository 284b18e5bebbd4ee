package glossary

import (
	"fmt"
	"slices"
	"strings"

	"gobench/comm/coll"
)

// algorithms returns an entry for every name of an algorithm, by name. Algorithms of the same name
// in several operations share an entry.
func algorithms() []Entry {
	facts := map[string][][2]string{}
	operations := map[string][]string{}
	for _, a := range coll.All() {
		about := a.About
		if a.Source != "" {
			about += " (" + a.Source + ")"
		}
		facts[a.Name] = append(facts[a.Name], [2]string{a.Kind.String(), about})
		if a.Param != "" {
			facts[a.Name] = append(facts[a.Name], [2]string{"", fmt.Sprintf("%s:%d, where the number is %s", a.Name, a.Default, a.Param)})
		}
		operations[a.Name] = append(operations[a.Name], a.Kind.String())
	}
	var list []Entry
	for name := range facts {
		list = append(list, Entry{name, "algorithm", "of " + strings.Join(operations[name], ", "),
			append(facts[name], [2]string{"example", fmt.Sprintf("gobench coll --op=%s --algo=%s", operations[name][0], name)})})
	}
	slices.SortFunc(list, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	return list
}
