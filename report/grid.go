package report

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/text"
)

// A grid is a table whose columns are as wide as their cells.
type grid struct {
	columns []gridColumn
	color   bool
}

// A gridColumn is a column of a grid. Cells of other columns are in the same order.
type gridColumn struct {
	name  string
	left  bool // text, not a number
	keep  int  // the smallest is dropped first on a narrow terminal, 0 never
	cells []string
}

// gap separates columns.
const gap = 2

func (c *gridColumn) width() int {
	w := utf8.RuneCountInString(c.name)
	for _, cell := range c.cells {
		w = max(w, utf8.RuneCountInString(cell))
	}
	return w
}

// add adds a column unless all its cells are empty.
func (g *grid) add(c gridColumn) {
	if slices.ContainsFunc(c.cells, func(s string) bool { return s != "" && s != absent }) {
		g.columns = append(g.columns, c)
	}
}

// lines returns the head and the rows, at most width characters wide if enough columns may be
// dropped.
func (g *grid) lines(width int) []string {
	columns := slices.Clone(g.columns)
	total := func() int {
		sum := -gap
		for i := range columns {
			sum += gap + columns[i].width()
		}
		return sum
	}
	for width > 0 && total() > width {
		least := -1
		for i, c := range columns {
			if c.keep > 0 && (least < 0 || c.keep <= columns[least].keep) {
				least = i // of equal ones the last
			}
		}
		if least < 0 {
			break
		}
		columns = slices.Delete(columns, least, least+1)
	}
	if len(columns) == 0 {
		return nil
	}
	row := func(cell func(c *gridColumn) string) string {
		var b strings.Builder
		for i := range columns {
			c := &columns[i]
			s := cell(c)
			pad := strings.Repeat(" ", c.width()-utf8.RuneCountInString(s))
			if i > 0 {
				b.WriteString(strings.Repeat(" ", gap))
			}
			if c.left {
				b.WriteString(s + pad)
			} else {
				b.WriteString(pad + s)
			}
		}
		return strings.TrimRight(b.String(), " ")
	}
	head := row(func(c *gridColumn) string { return c.name })
	if g.color {
		head = text.Bold.EscapeSeq() + head + text.Reset.EscapeSeq()
	}
	lines := []string{head}
	for i := range columns[0].cells {
		lines = append(lines, row(func(c *gridColumn) string { return c.cells[i] }))
	}
	return lines
}

// A measure is a value with its unit and interval, in parts that are aligned in a column.
type measure struct{ number, unit, interval string }

// align formats the measures of a column, numbers below numbers.
func align(list []measure) []string {
	numbers, units, intervals := 0, 0, 0
	for _, m := range list {
		numbers = max(numbers, len(m.number))
		units = max(units, utf8.RuneCountInString(m.unit))
		intervals = max(intervals, utf8.RuneCountInString(m.interval))
	}
	pad := func(s string, width int) string {
		return strings.Repeat(" ", width-utf8.RuneCountInString(s))
	}
	cells := make([]string, len(list))
	for i, m := range list {
		if m.number == "" {
			continue
		}
		s := pad(m.number, numbers) + m.number + " " + m.unit + pad(m.unit, units)
		if m.interval != "" {
			s += " ± " + pad(m.interval, intervals) + m.interval + " %"
		}
		cells[i] = strings.TrimRight(s, " ")
	}
	return cells
}
