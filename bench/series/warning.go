package series

import (
	"fmt"
	"strings"

	"gobench/bench/record"
	"gobench/internal/lazyregexp"
)

var numbers = lazyregexp.New(`[0-9][0-9.]*(e[+-][0-9]+)?`)

// WarningKind returns the text of a warning with 0 in place of its numbers. Warnings of one kind
// are equal in it.
func WarningKind(text string) string { return numbers.ReplaceAllString(text, "0") }

// Warnings merges the warnings of points, one of each launch. A warning that not all launches have
// begins with their number.
func Warnings(points []*record.Point) []string {
	texts := make([][]string, len(points))
	for i, p := range points {
		texts[i] = p.Warnings
	}
	return Merge(texts, "launches")
}

// Merge merges the warnings of several things, such as launches. Warnings that differ only in their
// numbers are merged into the first of them. A warning that not all things have begins with their
// number: "in 2 of 8 launches: ".
func Merge(all [][]string, things string) []string {
	type kind struct {
		first string
		of    map[int]bool
	}
	kinds := map[string]*kind{}
	var order []*kind
	for i, warnings := range all {
		for _, w := range warnings {
			name := WarningKind(w)
			k := kinds[name]
			if k == nil {
				k = &kind{first: w, of: map[int]bool{}}
				kinds[name] = k
				order = append(order, k)
			}
			k.of[i] = true
		}
	}
	var list []string
	for _, k := range order {
		if len(k.of) == len(all) || strings.HasPrefix(k.first, record.SelfTest) {
			list = append(list, k.first)
		} else {
			list = append(list, fmt.Sprintf("in %d of %d %s: %s", len(k.of), len(all), things, k.first))
		}
	}
	return list
}
