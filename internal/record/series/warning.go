package series

import (
	"fmt"
	"strings"

	"gobench/internal/collect"
	"gobench/record"
)

// WarningKind returns the text of a warning with 0 in place of its numbers, such as 2 and 3.1e-08.
// Warnings of one kind are equal in it. Those about lines of logs are of kinds of their own: their
// numbers name what was left out.
func WarningKind(text string) string {
	if strings.HasPrefix(text, "line ") || strings.HasPrefix(text, "lines ") {
		return text
	}
	kind := make([]byte, 0, len(text))
	for at := 0; at < len(text); {
		end := digits(text, at)
		if end == at {
			kind = append(kind, text[at])
			at++
			continue
		}
		for end < len(text) && text[end] == '.' {
			end = digits(text, end+1)
		}
		if exponent := end + 2; exponent < len(text) && text[end] == 'e' && (text[end+1] == '+' || text[end+1] == '-') {
			if last := digits(text, exponent); last > exponent {
				end = last
			}
		}
		kind = append(kind, '0')
		at = end
	}
	return string(kind)
}

// digits returns the end of the digits at a place.
func digits(text string, at int) int {
	for at < len(text) && '0' <= text[at] && text[at] <= '9' {
		at++
	}
	return at
}

// Warnings merges the warnings of points, one of each launch. A warning that not all launches have
// begins with their number.
func Warnings(points []*record.Point) []string {
	return Merge(collect.Each(points, func(p *record.Point) []string { return p.Warnings }), "launches")
}

// Merge merges the warnings of several things, such as launches. Warnings that differ only in their
// numbers are merged into the first of them. A warning that not all things have begins with their
// number: "in 2 of 8 launches: ".
func Merge(all [][]string, things string) []string {
	type kind struct {
		name, first string
		things      int
		last        int // index of the last one
	}
	var order []*kind
	find := func(w string) *kind {
		for _, k := range order {
			if k.first == w {
				return k
			}
		}
		name := WarningKind(w)
		for _, k := range order {
			if k.name == name {
				return k
			}
		}
		order = append(order, &kind{name: name, first: w, last: -1})
		return order[len(order)-1]
	}
	for i, warnings := range all {
		for _, w := range warnings {
			if k := find(w); k.last != i {
				k.last = i
				k.things++
			}
		}
	}
	var list []string
	for _, k := range order {
		if k.things == len(all) || strings.HasPrefix(k.first, record.SelfTest) {
			list = append(list, k.first)
		} else {
			list = append(list, fmt.Sprintf("in %d of %d %s: %s", k.things, len(all), things, k.first))
		}
	}
	return list
}
