package importer

import (
	"regexp"
	"strconv"
	"strings"
)

// wide separates columns whose names have blanks in them.
var wide = regexp.MustCompile(`\t+|\s{2,}`)

// columns splits the heading of a table.
func columns(line string) []string {
	line = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "#"))
	var names []string
	for _, name := range wide.Split(line, -1) {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// numbers reads a row of numbers, false where it is anything else.
func numbers(line string) ([]float64, bool) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return nil, false
	}
	list := make([]float64, len(words))
	for i, w := range words {
		x, err := strconv.ParseFloat(w, 64)
		if err != nil {
			return nil, false
		}
		list[i] = x
	}
	return list, true
}

// row is a row of a table by the names of its columns.
type row map[string]float64

// rowOf joins names and numbers. A row of another length is none.
func rowOf(names []string, values []float64) (row, bool) {
	if len(names) != len(values) {
		return nil, false
	}
	r := row{}
	for i, name := range names {
		r[name] = values[i]
	}
	return r, true
}

// first returns the first column that there is.
func (r row) first(names ...string) (float64, bool) {
	for _, name := range names {
		if x, ok := r[name]; ok {
			return x, true
		}
	}
	return 0, false
}
