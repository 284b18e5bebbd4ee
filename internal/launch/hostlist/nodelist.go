package hostlist

import (
	"fmt"
	"strconv"
	"strings"
)

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
