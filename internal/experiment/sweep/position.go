package sweep

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"gobench/internal/lazyregexp"
)

// position is the position of a key or of the head of a table.
type position struct {
	table  string // "" = before all tables
	number int    // number of the table among those of that name, from 0
	key    string // "" = the head
	line   int    // from 1
}

type positions []position

var (
	head = lazyregexp.New(`^\s*\[\[?\s*"?([^\]"\s]+)"?\s*\]\]?`)
	keys = lazyregexp.New(`^\s*(?:"([^"]*)"|'([^']*)'|([A-Za-z0-9_.-]+))\s*=`)
)

// positionsOf returns the lines of all keys and heads of tables. data must be valid TOML. A key is
// the first word of its line: only lists span several lines.
func positionsOf(data []byte) positions {
	var list positions
	counts := map[string]int{}
	at := position{}
	for i, line := range bytes.Split(data, []byte("\n")) {
		if m := head.FindSubmatch(line); m != nil {
			at = position{table: string(m[1]), number: counts[string(m[1])], line: i + 1}
			counts[at.table]++
			list = append(list, at)
			continue
		}
		if m := keys.FindSubmatch(line); m != nil {
			list = append(list, position{at.table, at.number, string(m[1]) + string(m[2]) + string(m[3]), i + 1})
		}
	}
	return list
}

// top returns the keys outside of tables.
func (p positions) top() positions {
	return slices.DeleteFunc(slices.Clone(p), func(x position) bool { return x.table != "" })
}

// missing returns an error for a value whose key is not among the places: it stands on the line of
// another key, or in another form of TOML.
func (p positions) missing(values map[string]any) error {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !slices.ContainsFunc(p, func(x position) bool { return x.key == name }) {
			return fmt.Errorf("key %q is not found: write %s = ... on a line of its own", name, name)
		}
	}
	return nil
}

// tables returns the heads of tables.
func (p positions) tables() positions {
	var list positions
	for _, x := range p {
		if x.table != "" && x.key == "" {
			list = append(list, x)
		}
	}
	return list
}

// keys returns the keys of the i-th table of the file.
func (p positions) keys(i int) positions {
	at := p.tables()[i]
	var list positions
	for _, x := range p {
		if x.table == at.table && x.number == at.number && x.key != "" {
			list = append(list, x)
		}
	}
	return list
}
