package comparison

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"gobench/compare"
	"gobench/internal/human"
	"gobench/internal/launch/hostlist"
	"gobench/internal/terminal"
	"gobench/report"
)

// Table prints blocks in the style of the Intel MPI Benchmarks: a heading with the common factors,
// then a row for each size. Every line other than a row begins with #. It returns errors of the
// writer.
func Table(w io.Writer, t report.Terminal, r *compare.Result) error {
	var b strings.Builder
	p := page{Builder: &b, width: cmp.Or(t.Width, pageWidth), columns: fit(t.Width), short: t.Width > 0, printed: map[string]bool{}}
	p.sides(r)
	for i := 1; i < len(r.Sides); i++ {
		p.block(r, r.Sides[i].Name)
	}
	p.end(r)
	_, err := io.WriteString(w, b.String())
	return err
}

// pageWidth is the width of wrapped text without a terminal.
const pageWidth = 110

type page struct {
	*strings.Builder
	width   int
	columns []column
	short   bool            // rows may not be longer than width
	printed map[string]bool // remarks already printed; those of the base recur for each side
}

// A column of a table. On narrow terminals the columns with the greatest drop are left out first,
// those with 0 never.
type column struct {
	name  string
	width int
	drop  int
	cell  func(row *compare.Row, by float64) string
}

// columns lists all columns but the last one, the verdict, which has no fixed width.
var columns = []column{
	{"#size", 10, 0, func(row *compare.Row, _ float64) string {
		return strings.ReplaceAll(cmp.Or(size(row.Cell), absent), " ", "")
	}},
	{"base", 11, 0, func(row *compare.Row, by float64) string { return value(row.A.Median, by) }},
	{"new", 11, 0, func(row *compare.Row, by float64) string { return value(row.B.Median, by) }},
	{"ratio", 7, 0, func(row *compare.Row, _ float64) string { return ratio(row.Ratio.Median) }},
	{"interval", 15, 1, func(row *compare.Row, _ float64) string { return interval(row) }},
	{"p", 8, 3, func(row *compare.Row, _ float64) string { return probability(row) }},
	{"n", 6, 2, func(row *compare.Row, _ float64) string { return samples(row) }},
}

// fit returns the columns that fit into a terminal beside the longest verdict, all for width 0.
func fit(width int) []column {
	list := slices.Clone(columns)
	for {
		sum := len(compare.Unclear) + 1
		worst := 0
		for i, c := range list {
			sum += c.width + 1
			if c.drop > list[worst].drop {
				worst = i
			}
		}
		if width == 0 || sum <= width || list[worst].drop == 0 {
			return list
		}
		list = slices.Delete(list, worst, worst+1)
	}
}

// row prints a row. If the terminal is too narrow for the verdict with its reason, row prints only
// the verdict and returns both.
func (p page) row(r *compare.Row, by float64) (why string) {
	var line strings.Builder
	for _, c := range p.columns {
		fmt.Fprintf(&line, "%*s ", c.width, c.cell(r, by))
	}
	word := verdict(r)
	if p.short && line.Len()+1+len(word) > p.width && word != string(r.Verdict) {
		word, why = string(r.Verdict), word
	}
	fmt.Fprintf(p, "%s %s\n", line.String(), word)
	return why
}

// comment prints wrapped text after a head, all lines prefixed with #.
func (p page) comment(head, body string) {
	p.WriteString(strings.ReplaceAll(terminal.Hang("# "+head, body, p.width), "\n  ", "\n# "))
}

func (p page) sides(r *compare.Result) {
	for i, s := range r.Sides {
		head := "with    "
		if i == 0 {
			head = "compare "
		}
		where := ""
		if len(s.Hosts) > 0 {
			where = " on " + hostlist.Fold(s.Hosts)
		}
		p.comment(head, fmt.Sprintf("%s: %s of %s%s", side(s.Name), human.Count(s.Points, "result", "results"), human.Count(s.Launches, "launch", "launches"), where))
	}
	p.WriteByte('\n')
}

// block prints the rows of one side, with a heading for each kind of cell.
func (p page) block(r *compare.Result, name string) {
	last := ""
	var remarks []remark
	label := labels(r)
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.Side != name {
			continue
		}
		unit, by := scale(row.Metric)
		head := fmt.Sprintf("%s, %s[%s], %s is better", heading(row.Cell), row.Metric.Name, unit, row.Metric.Direction)
		if head != last {
			if last != "" {
				p.WriteByte('\n')
			}
			last = head
			p.comment("", fmt.Sprintf("%s; ratio = %s / %s", head, label[row.Side], label[row.Base]))
			for _, c := range p.columns {
				fmt.Fprintf(p, "%*s ", c.width, c.name)
			}
			p.WriteString(" verdict\n")
		}
		added := row.Remarks
		if why := p.row(row, by); why != "" {
			added = append(slices.Clone(added), why)
		}
		for _, text := range added {
			if id := row.Cell.String() + ": " + text; !p.printed[id] {
				p.printed[id] = true
				remarks = addRemark(remarks, row.Cell.String(), text)
			}
		}
	}
	for i, n := range remarks {
		if i == maxRemarks && len(remarks) > maxRemarks+1 {
			p.comment("", fmt.Sprintf("and %d more such notes", len(remarks)-maxRemarks))
			break
		}
		p.comment("", n.String())
	}
	if last != "" {
		p.WriteByte('\n')
	}
}

// maxRemarks bounds the notes on cells in a block.
const maxRemarks = 5

// A note is a text about one or more cells of a block.
type remark struct {
	cell, text string // of the first cell
	more       int    // further cells with this text
}

func (n remark) String() string {
	if n.more == 0 {
		return n.cell + ": " + n.text
	}
	return fmt.Sprintf("%s and %d more: %s", n.cell, n.more, n.text)
}

// addRemark adds a text about a cell to the notes of a block.
func addRemark(remarks []remark, cell, text string) []remark {
	if i := slices.IndexFunc(remarks, func(n remark) bool { return n.text == text }); i >= 0 {
		remarks[i].more++
		return remarks
	}
	return append(remarks, remark{cell: cell, text: text})
}

func (p page) end(r *compare.Result) {
	p.comment("", tally(r))
	p.comment("method: ", r.Method)
	for _, warning := range r.Explained() {
		p.comment("warning: ", warning)
	}
	if s := answer(r); s != "" {
		p.comment("", s)
	}
}
