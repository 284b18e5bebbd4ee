package cell

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gobench/internal/collect"
	"gobench/internal/report/style"
)

// A phrase is a sentence that several records have in common except for its numbers.
type phrase struct {
	words  []string // between the numbers
	lo, hi []float64
	text   [][2]string // of lo and hi, as they were written
	n      int
	order  [2]int32 // of its first appearance: the number of the record, and the place among its phrases
}

// Method returns the method description of points: the clauses of their records, with numbers that
// differ written as ranges. A clause that only some records have is followed by their number;
// clauses of less than a tenth of the records are left out.
func Method(points []Point) string {
	found := summaryOf(points)
	records := found.methods
	var clauses []string
	for _, f := range found.method.sorted() {
		switch {
		case f.n == records:
			clauses = append(clauses, f.String())
		case f.n*10 >= records:
			clauses = append(clauses, fmt.Sprintf("%s (%d of %d records)", f, f.n, records))
		}
	}
	return strings.Join(clauses, "; ")
}

// Warnings returns each distinct warning of the records once, with its numbers as ranges and the
// number of records that have it, the most frequent first.
func Warnings(points []Point) []string {
	all := summaryOf(points).warnings.sorted()
	slices.SortStableFunc(all, func(a, b *phrase) int { return b.n - a.n })
	return collect.Each(all, func(f *phrase) string { return fmt.Sprintf("%s (%d of %d records)", f, f.n, Records(points)) })
}

// A summary holds the phrases of the launches of a point.
type summary struct {
	methods          int // records that have a method
	method, warnings *phrases
}

// summaryOf returns the summary of points. That of a row is made once.
func summaryOf(points []Point) summary {
	s := summary{method: newPhrases(), warnings: newPhrases()}
	for _, p := range points {
		if p.whole {
			in := p.in
			in.summary.Do(func() { in.said = summaryOf(in.points) })
			s.methods += in.said.methods
			s.method.merge(in.said.method)
			s.warnings.merge(in.said.warnings)
			continue
		}
		if p.Method != "" {
			s.methods++
			for clause := range strings.SplitSeq(p.Method, "; ") {
				for part := range strings.SplitSeq(clause, ", ") {
					s.method.add(part, p.at)
				}
			}
		}
		for _, w := range p.Warnings {
			s.warnings.add(w, p.at)
		}
	}
	return s
}

// phrases collects sentences. Its buffers are reused for each sentence.
type phrases struct {
	found   []*phrase
	index   map[string]*phrase
	key     []byte
	numbers [][2]int
}

func newPhrases() *phrases { return &phrases{index: map[string]*phrase{}} }

// sorted returns the phrases in the order of their first appearance.
func (ps *phrases) sorted() []*phrase {
	slices.SortStableFunc(ps.found, func(a, b *phrase) int { return slices.Compare(a.order[:], b.order[:]) })
	return ps.found
}

// merge adds the phrases of other records, which it does not change.
func (ps *phrases) merge(other *phrases) {
	for key, o := range other.index {
		f := ps.index[key]
		if f == nil {
			f = &phrase{words: o.words, lo: slices.Clone(o.lo), hi: slices.Clone(o.hi), text: slices.Clone(o.text), n: o.n, order: o.order}
			ps.index[key] = f
			ps.found = append(ps.found, f)
			continue
		}
		f.n += o.n
		sooner := slices.Compare(o.order[:], f.order[:]) < 0
		if sooner {
			f.order = o.order
		}
		for i := range f.text {
			if o.lo[i] < f.lo[i] || o.lo[i] == f.lo[i] && sooner {
				f.lo[i], f.text[i][0] = o.lo[i], o.text[i][0]
			}
			if o.hi[i] > f.hi[i] || o.hi[i] == f.hi[i] && sooner {
				f.hi[i], f.text[i][1] = o.hi[i], o.text[i][1]
			}
		}
	}
}

// add adds a sentence of the record with a number.
func (ps *phrases) add(s string, record int32) {
	ps.numbers = numbers(ps.numbers[:0], s)
	ps.key = ps.key[:0]
	begin := 0
	for _, n := range ps.numbers {
		ps.key = append(append(ps.key, s[begin:n[0]]...), 0)
		begin = n[1]
	}
	ps.key = append(ps.key, s[begin:]...)
	f := ps.index[string(ps.key)]
	if f == nil {
		f = &phrase{words: strings.Split(string(ps.key), "\x00")}
		ps.index[string(ps.key)] = f
		f.order = [2]int32{record, int32(len(ps.found))}
		ps.found = append(ps.found, f)
		for _, n := range ps.numbers {
			v, _ := strconv.ParseFloat(s[n[0]:n[1]], 64)
			f.lo, f.hi = append(f.lo, v), append(f.hi, v)
			f.text = append(f.text, [2]string{s[n[0]:n[1]], s[n[0]:n[1]]})
		}
	}
	f.n++
	for i, n := range ps.numbers {
		number := s[n[0]:n[1]]
		if number == f.text[i][0] || number == f.text[i][1] {
			continue
		}
		v, _ := strconv.ParseFloat(number, 64)
		if v < f.lo[i] {
			f.lo[i], f.text[i][0] = v, number
		}
		if v > f.hi[i] {
			f.hi[i], f.text[i][1] = v, number
		}
	}
}

func (f *phrase) String() string {
	var b strings.Builder
	for i, word := range f.words {
		b.WriteString(word)
		if i < len(f.text) {
			b.WriteString(plain(f.lo[i], f.text[i][0]))
			if f.lo[i] != f.hi[i] {
				b.WriteString(" to " + plain(f.hi[i], f.text[i][1]))
			}
		}
	}
	return b.String()
}

// plain formats a number as it was written, without an exponent where possible.
func plain(v float64, text string) string {
	if strings.ContainsRune(text, 'e') {
		return style.Number(v)
	}
	return text
}

// numbers appends the start and end offsets of the numbers in a sentence. A digit within a word
// (MPI1) does not count.
func numbers(list [][2]int, s string) [][2]int {
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
		list = append(list, [2]int{i, end})
		i = end - 1
	}
	return list
}

func digit(c byte) bool  { return '0' <= c && c <= '9' }
func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c >= 0x80 }
