// Package report prints results: tables in the style of the Intel MPI Benchmarks, Markdown, CSV and
// JSON Lines. It reads records only, so every table can be printed again from the files on any
// machine.
//
// Packages of internal/report draw figures and write documents; package capsule packs records to
// publish them.
package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"gobench/internal/bench/state"
	"gobench/internal/collect"
	"gobench/internal/report/host"
	"gobench/internal/report/markdown"
	"gobench/record"
)

// A Table prints rows in the style of the Intel MPI Benchmarks: for each benchmark a block with a
// heading, a row for each size, and notes below. Every line other than a row begins with #, so
// gnuplot and awk read the output unchanged.
type Table struct {
	w        io.Writer
	terminal Terminal

	bare     bool // rows with their headings, without notes: these are printed elsewhere
	estimate bool // more launches follow: no facts, notes and ratios
	pairs    bool // several pairs of cores, each with its own rows
	onHosts  bool // several sets of hosts, or placements on them, each with its own rows
	labels   bool // several labels
	details  []detail
	markdown bool // a section for each block instead of comments and columns

	block   string // heading of the block that is open; empty = none
	columns []column
	cores   string // state of the cores in the last row, where no column shows it
	remarks remarks
	hosts   host.Known
}

// NewTable returns a table on w for the capabilities of t.
func NewTable(w io.Writer, t Terminal) *Table {
	return &Table{w: w, terminal: t, hosts: host.Known{}}
}

// Point prints the row of p, preceded by a heading if p begins a new block. It returns errors of
// the writer.
func (t *Table) Point(p record.Point) error { return t.row(&p, t.heading(&p)) }

// row is Point for a row with the heading h.
func (t *Table) row(p *record.Point, h string) error {
	if h != t.block {
		if err := t.End(); err != nil {
			return err
		}
		t.block, t.cores = h, ""
		t.columns = columnsFor(p, t.remarks.scale, t.pairs, t.terminal.Width)
		if _, err := io.WriteString(t.w, t.head(h)); err != nil {
			return err
		}
	}
	if !t.estimate && !t.bare {
		t.remarks.add(p)
	}
	_, err := io.WriteString(t.w, t.stateLine(p)+t.line(func(c column) string { return c.cell(p) })+"\n")
	return err
}

// stateLine returns a line with the state of the cores in the rows that follow, where the terminal
// is too narrow for the column and the state is not that of the row before.
func (t *Table) stateLine(p *record.Point) string {
	word := stateWord(p, t.remarks.scale)
	if t.terminal.Width == 0 || word == t.cores || shown(t.columns, coresColumn(t.remarks.scale)) {
		return ""
	}
	t.cores = word
	return t.remark("cores " + cmp.Or(word, state.Unknown.String()))
}

// End closes the open block with its legend, method and warnings. It returns errors of the writer.
func (t *Table) End() error {
	if t.block == "" {
		return nil
	}
	var b strings.Builder
	if t.markdown {
		b.WriteByte('\n') // ends the table
	}
	if !t.estimate && !t.bare {
		for _, remark := range t.remarks.lines(t.columns) {
			b.WriteString(t.remark(remark))
		}
	}
	b.WriteByte('\n')
	t.block, t.remarks = "", remarks{scale: t.remarks.scale}
	_, err := io.WriteString(t.w, b.String())
	return err
}

// head returns the description of a block and the names of its columns.
func (t *Table) head(what string) string {
	names := t.line(func(c column) string { return c.name })
	if !t.markdown {
		return comment(what, t.terminal.Width) + t.emphasize(names) + "\n"
	}
	var align []string
	for _, c := range t.columns {
		if c.left {
			align = append(align, ":--")
		} else {
			align = append(align, "--:")
		}
	}
	return "### " + markdown.Text(what) + "\n\n" + names + "\n| " + strings.Join(align, " | ") + " |\n"
}

// remark returns a sentence for the remarks below a block.
func (t *Table) remark(s string) string {
	if t.markdown {
		return "- " + markdown.Text(s) + "\n"
	}
	return comment(s, t.terminal.Width)
}

// line returns one row in the columns of the block, without a line end.
func (t *Table) line(cell func(column) string) string {
	if t.markdown {
		cells := collect.Each(t.columns, func(c column) string {
			return markdown.Text(strings.TrimPrefix(strings.TrimSpace(cell(c)), "#"))
		})
		return "| " + strings.Join(cells, " | ") + " |"
	}
	var row strings.Builder
	for _, c := range t.columns {
		s := cell(c)
		if c.left && t.terminal.Width > 0 {
			s = text.Snip(s, c.width, "~") // a number is never cut
		}
		pad := spaces[:min(len(spaces), max(0, c.width-text.StringWidthWithoutEscSequences(s)))]
		if c.left {
			row.WriteString(s)
			row.WriteString(pad)
		} else {
			row.WriteString(pad)
			row.WriteString(s)
		}
		row.WriteByte(' ')
	}
	return strings.TrimRight(row.String(), " ")
}

// spaces fills a column, the widest of which holds the names of problems.
var spaces = strings.Repeat(" ", 4<<10)

func (t *Table) emphasize(s string) string {
	if !t.terminal.Color {
		return s
	}
	return text.Bold.EscapeSeq() + s + text.Reset.EscapeSeq()
}

// pageWidth is the width of wrapped text without a terminal.
const pageWidth = 110

// comment wraps s into lines that begin with # and fit into width characters (0 = no terminal).
func comment(s string, width int) string {
	width = cmp.Or(width, pageWidth)
	s = text.WrapSoft(s, max(20, width-4))
	var b strings.Builder
	for i, line := range strings.Split(s, "\n") {
		indent := "# "
		if i > 0 {
			indent = "#   "
		}
		fmt.Fprintf(&b, "%s%s\n", indent, strings.TrimRight(line, " "))
	}
	return b.String()
}
