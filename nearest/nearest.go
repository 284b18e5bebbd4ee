// Package nearest suggests corrections of mistyped names. All packages of gobench report a name
// that does not exist by its UnknownError.
package nearest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Name returns the known name that is nearest to word, and false if none is near. A name is near if
// word is a prefix of it, or differs from it by at most a third of its letters, each changed,
// missing, added or swapped with the next. Of names at the same distance, the one that begins with
// more of word is nearer, then the one that ends with more of it, then the one whose length is
// closer, then the first.
func Name(word string, known []string) (string, bool) {
	best, smallest := "", []int(nil)
	for _, name := range known {
		a, b := strings.ToLower(word), strings.ToLower(name)
		d, begin, end := distance(a, b), 0, 0
		for begin < min(len(a), len(b)) && a[begin] == b[begin] {
			begin++
		}
		for end < min(len(a), len(b)) && a[len(a)-1-end] == b[len(b)-1-end] {
			end++
		}
		if len(a) > 1 && begin == len(a) {
			d = 0
		}
		longest := max(len(a), len(b))
		if d > max(1, longest/3) || d >= longest { // a single letter is near to none
			continue
		}
		if far := []int{d, -begin, -end, max(len(a)-len(b), len(b)-len(a))}; best == "" || slices.Compare(far, smallest) < 0 {
			best, smallest = name, far
		}
	}
	return best, best != ""
}

// An UnknownError reports a name given by the user that does not exist. Its text suggests the
// nearest of the known names. device.UnknownError is the same type.
type UnknownError struct {
	What  string // "transport", "benchmark", "flag"
	Name  string
	Known []string // in the order they are listed
	Shown []string // which of them are listed; nil = all
	List  string   // begins the list of known names, such as "available here"; "" = "known"
	// Where replaces a long list: it names the command that lists all names.
	Where string
}

// longList is the greatest number of names that an error lists.
const longList = 10

func (e *UnknownError) Error() string {
	s := fmt.Sprintf("unknown %s %q", e.What, e.Name)
	shown := e.Shown
	if shown == nil {
		shown = e.Known
	}
	all := cmp.Or(e.List, "known") + ": " + strings.Join(shown, ", ")
	if e.Where != "" && len(e.Known) > longList {
		all = e.Where
	}
	near, ok := Name(e.Name, e.Known)
	switch {
	case ok:
		return s + fmt.Sprintf(": did you mean %q? %s", near, all)
	case len(e.Known) > 0:
		return s + "; " + all
	}
	return s
}

// distance returns the optimal string alignment distance (Damerau and Levenshtein):
// the least number of letters to change, add, remove, or swap with a neighbour.
func distance(a, b string) int {
	before, previous, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range previous {
		previous[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := previous[j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			row[j] = min(change, previous[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, previous, row = previous, row, before
	}
	return previous[len(b)]
}
