package importer

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"gobench/internal/collect"
	"gobench/internal/lazyregexp"
)

// wide matches the separator of columns whose names contain spaces.
var wide = match(`\t+|\s{2,}`)

// columns splits the heading of a table.
func columns(line string) []string {
	line = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "#"))
	names := collect.Each(wide.Split(line, -1), strings.TrimSpace)
	return collect.If(names, func(name string) bool { return name != "" })
}

// A number is a number of a log, with its rounding error half: at most half of its last digit.
type number struct {
	x    float64
	half float64
}

var decimal = lazyregexp.New(`^[-+]?[0-9]*\.?([0-9]*)(?:[eE]([-+]?[0-9]{1,3}))?$`)

// parse parses a decimal number.
func parse(word string) (number, bool) {
	m := decimal.FindStringSubmatch(word)
	if m == nil {
		return number{}, false
	}
	x, err := strconv.ParseFloat(word, 64)
	if err != nil {
		return number{}, false
	}
	exponent, _ := strconv.Atoi(m[2])
	decimals := 0
	if strings.Contains(word, ".") {
		decimals = len(m[1])
	}
	return number{x, 0.5 * math.Pow10(exponent-decimals)}, true
}

// grouped matches a number whose digits are in groups of thousands.
var grouped = lazyregexp.New(`^[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]*)?$`)

// ungrouped removes the commas of numbers with groups of thousands. Others stay as they are.
func ungrouped(words ...string) []string {
	for i, w := range words {
		if grouped.MatchString(w) {
			words[i] = strings.ReplaceAll(w, ",", "")
		}
	}
	return words
}

// wholeOf parses a whole number. It returns -1, which is invalid in a point, if the number is not
// from 0 to 2^53.
func wholeOf(word string) int {
	n, err := strconv.Atoi(word)
	if err != nil || n < 0 || n > maxWhole {
		return -1
	}
	return n
}

// maxWhole bounds whole numbers: above it not each is a float64.
const maxWhole = 1 << 53

// relative returns the relative rounding error of a number.
func (n number) relative() float64 {
	if n.x <= 0 {
		return math.Inf(1)
	}
	return n.half / n.x
}

// times returns n multiplied by factor.
func (n number) times(factor float64) number { return number{n.x * factor, n.half * factor} }

// over returns amount divided by n.
func (n number) over(amount float64) number {
	return number{amount / n.x, amount / n.x * n.relative()}
}

// agrees reports whether both numbers may be equal before rounding.
func (n number) agrees(other number) bool {
	return math.Abs(n.x-other.x) <= (n.half+other.half)*(1+1e-9)
}

// allows reports whether x may have been printed as n.
func (n number) allows(x float64) bool { return math.Abs(n.x-x) <= n.half*(1+1e-9) }

// numbers parses a row of numbers. It returns false if the line contains anything else.
func numbers(line string) ([]number, bool) { return parseAll(strings.Fields(line)) }

func parseAll(words []string) ([]number, bool) {
	if len(words) == 0 {
		return nil, false
	}
	list := make([]number, len(words))
	for i, w := range words {
		var ok bool
		if list[i], ok = parse(w); !ok {
			return nil, false
		}
	}
	return list, true
}

// row is a row of a table by the names of its columns.
type row map[string]number

// rowOf returns the numbers by names. It returns false if the lengths differ.
func rowOf(names []string, values []number) (row, bool) {
	if len(names) != len(values) {
		return nil, false
	}
	r := row{}
	for i, name := range names {
		r[name] = values[i]
	}
	return r, true
}

// value returns a column, 0 if there is none.
func (r row) value(name string) float64 { return r[name].x }

// count returns a column of whole numbers, 0 if there is none. For any other value it returns -1,
// which is invalid in a point.
func (r row) count(name string) int64 {
	x := r[name].x
	if !(x >= 0 && x <= maxWhole) || x != math.Trunc(x) {
		return -1
	}
	return int64(x)
}

// first returns the first of some columns that exists.
func (r row) first(names ...string) (number, bool) {
	for _, name := range names {
		if x, ok := r[name]; ok {
			return x, true
		}
	}
	return number{}, false
}

// shortRow leaves out a row whose number of columns is not that of its heading.
func (l *log) shortRow(values, names int) error {
	plural := "s"
	if values == 1 {
		plural = ""
	}
	return l.leaveOut("the row has %d column%s, its heading %d: the log is cut off or mixed with other output", values, plural, names)
}

// commaNumber matches a number with commas, which may be those of groups or stand before decimals.
var commaNumber = lazyregexp.New(`^[0-9]+(?:,[0-9]+)+(?:\.[0-9]*)?$`)

// oddRow leaves out a line below a heading that begins with a number and contains other words, such
// as nan or 1,024. Lines that begin with a word come from other programs.
func (l *log) oddRow(words []string) error {
	if _, isRow := parse(words[0]); !isRow && !commaNumber.MatchString(words[0]) {
		return nil
	}
	for _, w := range words {
		if _, ok := parse(w); !ok {
			return l.leaveOut("%q is not a number", w)
		}
	}
	return nil
}

// unreadColumns joins the names of columns that are not among known ones.
func unreadColumns(names, known []string) string {
	return strings.Join(collect.If(names, func(name string) bool { return !slices.Contains(known, name) }), ", ")
}
