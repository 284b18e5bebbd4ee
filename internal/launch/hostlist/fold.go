package hostlist

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// Fold returns names in the short form that Parse, ExpandNodes and Slurm read:
// "node[01-04,07],login". Names that differ in one number are one word, at the place of the first
// of them, with ascending numbers. A name that occurs again is written once.
func Fold(names []string) string {
	var words []*word
	for _, name := range names {
		before, number, after := cutNumber(name)
		i := slices.IndexFunc(words, func(w *word) bool { return w.before == before && w.after == after })
		if i < 0 {
			i = len(words)
			words = append(words, &word{before: before, after: after})
		}
		words[i].numbers = append(words[i].numbers, number)
	}
	var texts []string
	for _, w := range words {
		texts = append(texts, w.String())
	}
	return strings.Join(texts, ",")
}

// WithReasons returns lists of names by their reasons: "h[1-3] (no route), h7 (refused)".
func WithReasons(names map[string][]string) string {
	var texts []string
	for _, reason := range slices.Sorted(maps.Keys(names)) {
		texts = append(texts, fmt.Sprintf("%s (%s)", Fold(names[reason]), reason))
	}
	return strings.Join(texts, ", ")
}

// A word stands for names that differ in one number, which is "" of a name without one.
type word struct {
	before, after string
	numbers       []string
}

// cutNumber cuts a name around the last number of its first label: "node07.example" into "node",
// "07" and ".example". Addresses, and names that brackets would make ambiguous, have no number.
func cutNumber(name string) (before, number, after string) {
	const digits = "0123456789"
	label, _, _ := strings.Cut(name, ".")
	end := strings.LastIndexAny(label, digits) + 1
	begin := len(strings.TrimRight(name[:end], digits))
	_, isAddress := netip.ParseAddr(name[strings.LastIndexByte(name, '@')+1:])
	if _, err := strconv.Atoi(name[begin:end]); err != nil || isAddress == nil || strings.ContainsAny(name, "[],:") {
		return name, "", ""
	}
	return name[:begin], name[begin:end], name[end:]
}

// String returns the word with the ranges of its numbers.
func (w *word) String() string {
	slices.SortFunc(w.numbers, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	w.numbers = slices.Compact(w.numbers)
	if len(w.numbers) == 1 {
		return w.before + w.numbers[0] + w.after
	}
	var ranges []string
	for i := 0; i < len(w.numbers); {
		first, j := w.numbers[i], i
		value, _ := strconv.Atoi(first) // is a number, see cutNumber
		for j+1 < len(w.numbers) && w.numbers[j+1] == fmt.Sprintf("%0*d", len(first), value+j+1-i) {
			j++
		}
		if j > i {
			first += "-" + w.numbers[j]
		}
		ranges = append(ranges, first)
		i = j + 1
	}
	return w.before + "[" + strings.Join(ranges, ",") + "]" + w.after
}
