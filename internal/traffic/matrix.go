// Package traffic reads how many bytes each of some hosts or ranks sends to each other one.
package traffic

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// ReadMatrix reads a square of bytes: a line for each sender, with a number for each receiver,
// separated by blanks or commas. Lines that begin with # are comments. A number above limit is an
// error.
func ReadMatrix(file string, limit int) ([][]int, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var m [][]int
	for number, line := range strings.Split(string(text), "\n") {
		words := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" ,\t\r", r) })
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		var row []int
		for _, w := range words {
			n, err := strconv.Atoi(w)
			if err != nil || n < 0 || n > limit {
				return nil, fmt.Errorf("%s, line %d: %q is no number of bytes from 0 to %d: divide all numbers", file, number+1, w, limit)
			}
			row = append(row, n)
		}
		m = append(m, row)
	}
	for i, row := range m {
		if len(row) != len(m) {
			return nil, fmt.Errorf("%s: row %d has %d numbers, and there are %d rows: want a square matrix", file, i+1, len(row), len(m))
		}
	}
	if len(m) < 2 {
		return nil, fmt.Errorf("%s has %d rows: want one for each of two senders or more", file, len(m))
	}
	return m, nil
}
