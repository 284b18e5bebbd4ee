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

// verdicts are words that checks of data print at the end of a row.
var verdicts = map[string]bool{"pass": true, "fail": true, "n/a": true}

// verdict cuts the word of a check off a row; empty where there is none.
func verdict(line string) (rest, word string) {
	words := strings.Fields(line)
	if len(words) > 1 && verdicts[strings.ToLower(words[len(words)-1])] {
		return strings.Join(words[:len(words)-1], " "), strings.ToLower(words[len(words)-1])
	}
	return line, ""
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
