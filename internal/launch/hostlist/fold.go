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
		i := slices.IndexFunc(words, func(w *word) bool {
			return w.before == before && w.after == after && (w.numbers[0] == "") == (number == "")
		})
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

// A word stands for names that differ in one number, or for a name without one, whose number is "".
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

// ExpandNodes expands a list of hosts as Slurm writes it: "a[01-03,07],b2,c[1-2]-ib[0-1]". Zeros in
// front are kept.
func ExpandNodes(list string) ([]string, error) {
	var names []string
	for rest := list; rest != ""; {
		word, after, err := cutWord(rest)
		if err != nil {
			return nil, err
		}
		more, err := expandWord(word)
		if err != nil {
			return nil, err
		}
		if names = append(names, more...); len(names) > MaxRanks {
			return nil, errTooManyNodes
		}
		rest = after
	}
	return names, nil
}

var errTooManyNodes = fmt.Errorf("is a list of more than %d hosts", MaxRanks)

// cutWord cuts at the first comma outside of brackets.
func cutWord(s string) (word, rest string, err error) {
	depth := 0
	for i, c := range s {
		switch c {
		case '[':
			depth++
		case ']':
			depth--
		case ',':
			if depth == 0 {
				return s[:i], s[i+1:], nil
			}
		}
		if depth < 0 || depth > 1 {
			break
		}
	}
	if depth != 0 {
		return "", "", fmt.Errorf("is no list of hosts: the brackets of %q do not match", s)
	}
	return s, "", nil
}

// expandWord expands the brackets of one word, the last ones fastest.
func expandWord(word string) ([]string, error) {
	before, rest, found := strings.Cut(word, "[")
	if !found {
		if word == "" {
			return nil, fmt.Errorf("is no list of hosts: a name is empty")
		}
		return []string{word}, nil
	}
	inside, after, found := strings.Cut(rest, "]")
	if !found {
		return nil, fmt.Errorf("is no list of hosts: %q lacks a ]", word)
	}
	tails := []string{""}
	if after != "" {
		var err error
		if tails, err = expandWord(after); err != nil {
			return nil, err
		}
	}
	var names []string
	for _, item := range strings.Split(inside, ",") {
		first, last, isRange := strings.Cut(item, "-")
		if !isRange {
			last = first
		}
		lo, e1 := strconv.Atoi(first)
		hi, e2 := strconv.Atoi(last)
		if e1 != nil || e2 != nil || lo > hi || lo < 0 {
			return nil, fmt.Errorf("is no list of hosts: %q is no range of numbers", item)
		}
		if hi-lo >= MaxRanks || (hi-lo+1)*len(tails)+len(names) > MaxRanks { // the product has no room for more
			return nil, errTooManyNodes
		}
		for i := lo; i <= hi; i++ {
			for _, tail := range tails {
				names = append(names, fmt.Sprintf("%s%0*d%s", before, len(first), i, tail))
			}
		}
	}
	return names, nil
}

// MaxRanks is the maximum number of ranks that a variable may state.
const MaxRanks = 1 << 20
