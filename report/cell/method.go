package cell

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// phrase is a sentence that several records say alike but for its numbers.
type phrase struct {
	words  []string // between the numbers
	lo, hi []float64
	text   [][2]string // of lo and hi, as they were written
	n      int
}

// Method says how points were measured: what their records say, with the ranges
// of the numbers in which they differ. What only some of them say has their
// number behind it; what less than a tenth say is left out.
func Method(points []Point) string {
	var found []*phrase
	index := map[string]*phrase{}
	records := 0
	for _, p := range points {
		if p.Method == "" {
			continue
		}
		records++
		for clause := range strings.SplitSeq(p.Method, "; ") {
			for part := range strings.SplitSeq(clause, ", ") {
				found = add(found, index, part)
			}
		}
	}
	var clauses []string
	for _, f := range found {
		switch {
		case f.n == records:
			clauses = append(clauses, f.String())
		case f.n*10 >= records:
			clauses = append(clauses, fmt.Sprintf("%s (%d of %d records)", f, f.n, records))
		}
	}
	return strings.Join(clauses, "; ")
}

// Warnings gathers what the records warn of: each warning once, with the ranges
// of its numbers, and how many of the cells have it.
func Warnings(points []Point) []string {
	var found []*phrase
	index := map[string]*phrase{}
	for _, p := range points {
		for _, w := range p.Warnings {
			found = add(found, index, w)
		}
	}
	slices.SortStableFunc(found, func(a, b *phrase) int { return b.n - a.n })
	var lines []string
	for _, f := range found {
		lines = append(lines, fmt.Sprintf("%s (%d of %d records)", f, f.n, len(points)))
	}
	return lines
}

func add(found []*phrase, index map[string]*phrase, s string) []*phrase {
	words, numbers := cut(s)
	key := strings.Join(words, "\x00")
	f := index[key]
	if f == nil {
		f = &phrase{words: words}
		index[key] = f
		found = append(found, f)
		for _, number := range numbers {
			v, _ := strconv.ParseFloat(number, 64)
			f.lo, f.hi = append(f.lo, v), append(f.hi, v)
			f.text = append(f.text, [2]string{number, number})
		}
	}
	f.n++
	for i, number := range numbers {
		v, _ := strconv.ParseFloat(number, 64)
		if v < f.lo[i] {
			f.lo[i], f.text[i][0] = v, number
		}
		if v > f.hi[i] {
			f.hi[i], f.text[i][1] = v, number
		}
	}
	return found
}

func (f *phrase) String() string {
	var b strings.Builder
	for i, word := range f.words {
		b.WriteString(word)
		if i < len(f.text) {
			b.WriteString(f.text[i][0])
			if f.lo[i] != f.hi[i] {
				b.WriteString(" to " + f.text[i][1])
			}
		}
	}
	return b.String()
}

// cut divides a sentence into the numbers in it and the words around them, one
// more than numbers. A digit within a word (MPI1) is part of the word.
func cut(s string) (words, numbers []string) {
	begin := 0
	for i := 0; i < len(s); i++ {
		if !digit(s[i]) || i > 0 && (letter(s[i-1]) || s[i-1] == '^' || s[i-1] == '.') {
			continue
		}
		end := i
		for end < len(s) && (digit(s[end]) || s[end] == '.' && end+1 < len(s) && digit(s[end+1])) {
			end++
		}
		if end < len(s) && s[end] == 'e' {
			if exp := end + 1; exp+1 < len(s) && (s[exp] == '-' || s[exp] == '+') && digit(s[exp+1]) {
				for end = exp + 1; end < len(s) && digit(s[end]); end++ {
				}
			}
		}
		words = append(words, s[begin:i])
		numbers = append(numbers, s[i:end])
		begin, i = end, end-1
	}
	return append(words, s[begin:]), numbers
}

func digit(c byte) bool  { return '0' <= c && c <= '9' }
func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c >= 0x80 }
