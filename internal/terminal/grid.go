package terminal

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/text"
)

// A Grid is a table whose columns are as wide as their cells.
type Grid struct {
	Columns []Column
	Color   bool // the head is bold
}

// A Column is a column of a Grid. Cells of other columns are in the same order.
type Column struct {
	Name  string
	Left  bool // text, not a number
	Keep  int  // the smallest is dropped first on a narrow terminal, 0 never
	Cells []string
}

// gap separates columns.
const gap = 2

func (c *Column) width() int {
	w := utf8.RuneCountInString(c.Name)
	for _, cell := range c.Cells {
		w = max(w, utf8.RuneCountInString(cell))
	}
	return w
}

// Add adds a column unless all its cells are empty.
func (g *Grid) Add(c Column) {
	if slices.ContainsFunc(c.Cells, func(s string) bool { return s != "" && s != "-" }) {
		g.Columns = append(g.Columns, c)
	}
}

// Width returns the number of characters of a line with all columns.
func (g *Grid) Width() int { return widthOf(g.Columns) }

func widthOf(columns []Column) int {
	sum := -gap
	for i := range columns {
		sum += gap + columns[i].width()
	}
	return sum
}

// Lines returns the head and the rows, at most width characters wide if enough columns may be
// dropped.
func (g *Grid) Lines(width int) []string {
	columns := slices.Clone(g.Columns)
	for width > 0 && widthOf(columns) > width {
		smallest := -1
		for i, c := range columns {
			if c.Keep > 0 && (smallest < 0 || c.Keep <= columns[smallest].Keep) {
				smallest = i // of equal ones the last
			}
		}
		if smallest < 0 {
			break
		}
		columns = slices.Delete(columns, smallest, smallest+1)
	}
	if len(columns) == 0 {
		return nil
	}
	row := func(cell func(c *Column) string) string {
		var b strings.Builder
		for i := range columns {
			c := &columns[i]
			s := cell(c)
			pad := strings.Repeat(" ", c.width()-utf8.RuneCountInString(s))
			if i > 0 {
				b.WriteString(strings.Repeat(" ", gap))
			}
			if c.Left {
				b.WriteString(s + pad)
			} else {
				b.WriteString(pad + s)
			}
		}
		return strings.TrimRight(b.String(), " ")
	}
	head := row(func(c *Column) string { return c.Name })
	if g.Color {
		head = text.Bold.EscapeSeq() + head + text.Reset.EscapeSeq()
	}
	lines := []string{head}
	for i := range columns[0].Cells {
		lines = append(lines, row(func(c *Column) string { return c.Cells[i] }))
	}
	return lines
}
