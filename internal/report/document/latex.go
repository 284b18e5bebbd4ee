package document

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"gobench/internal/report/figure/scripts"
)

// LaTeX writes paragraphs and tables, as a part that a paper reads by \input, with the rules of the
// package booktabs.
func (d *Document) LaTeX(w io.Writer) error {
	var b strings.Builder
	for _, s := range d.Sections {
		for i, block := range flat(s.Blocks) {
			if i > 0 {
				b.WriteString("\\par\\medskip\n")
			}
			switch block := block.(type) {
			case Text:
				fmt.Fprintf(&b, "%s\n\n", scripts.EscapeTeX(string(block)))
			case Table:
				block.latex(&b)
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// latex writes a table whose numbers are aligned right. Its title and note are comments, because a
// paper has them in the caption.
func (t Table) latex(b *strings.Builder) {
	fmt.Fprintf(b, "%% %s\n", scripts.EscapeTeX(t.Title))
	b.WriteString("\\begin{tabular}{@{}")
	wide := 0 // columns with texts that need several lines
	for i := range t.Columns {
		if t.long(i) {
			wide++
		}
	}
	for i := range t.Columns {
		switch {
		case t.long(i):
			fmt.Fprintf(b, "p{%.2f\\linewidth}", max(0.15, (0.58-0.05*float64(len(t.Columns)-wide-1))/float64(wide)))
		case t.Numbers(i):
			b.WriteString("r")
		default:
			b.WriteString("l")
		}
	}
	b.WriteString("@{}}\n\\toprule\n")
	line := func(texts []string) {
		for i, text := range texts {
			if i > 0 {
				b.WriteString(" & ")
			}
			b.WriteString(scripts.EscapeTeX(text))
		}
		b.WriteString(" \\\\\n")
	}
	line(t.Columns)
	b.WriteString("\\midrule\n")
	for _, row := range t.Rows {
		line(texts(row))
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
	if t.Remark != "" {
		fmt.Fprintf(b, "%% %s\n", scripts.EscapeTeX(t.Remark))
	}
	b.WriteString("\n")
}

// long reports whether a column has a text that is set in several lines.
func (t Table) long(column int) bool {
	return slices.ContainsFunc(t.Rows, func(row []Field) bool { return len(row[column].Text) > 36 })
}
