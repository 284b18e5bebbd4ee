package document

import (
	"fmt"
	"io"
	"strings"

	"gobench/internal/report/markdown"
)

// Markdown writes the document as Markdown. place returns the path of the file of a figure.
func (d *Document) Markdown(w io.Writer, linkOf func(name string) string) error {
	var b strings.Builder
	if d.Title != "" { // it is not a part of a document
		fmt.Fprintf(&b, "# %s\n", markdown.Text(d.Title))
	}
	for _, s := range d.Sections {
		if s.Title != "" {
			fmt.Fprintf(&b, "\n## %s\n", markdown.Text(s.Title))
		}
		for _, block := range flat(s.Blocks) {
			b.WriteByte('\n')
			switch block := block.(type) {
			case Lead:
				fmt.Fprintf(&b, "**%s**\n", markdown.Text(string(block)))
			case Folded:
				fmt.Fprintf(&b, "### %s\n", markdown.Text(block.Title))
			case Text:
				fmt.Fprintf(&b, "%s\n", markdown.Text(string(block)))
			case List:
				for _, item := range block {
					fmt.Fprintf(&b, "- %s\n", markdown.Text(item))
				}
			case Code:
				b.WriteString(markdown.Code("sh", block))
			case Table:
				block.markdown(&b)
			case Picture:
				fmt.Fprintf(&b, "### %s\n\n![%[1]s](%s)\n\n%s\n", markdown.Text(block.Title), linkOf(block.Name), markdown.Text(block.Caption))
				for _, n := range block.Footer() {
					fmt.Fprintf(&b, "\n%s\n", markdown.Text(n))
				}
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (t Table) markdown(b *strings.Builder) {
	fmt.Fprintf(b, "**%s**\n\n|", markdown.Text(t.Title))
	for _, c := range t.Columns {
		fmt.Fprintf(b, " %s |", markdown.Text(c))
	}
	b.WriteString("\n|")
	for i := range t.Columns {
		line := "---|"
		if t.Numbers(i) {
			line = "--:|"
		}
		b.WriteString(line)
	}
	b.WriteByte('\n')
	for _, row := range t.Rows {
		b.WriteByte('|')
		for _, c := range row {
			fmt.Fprintf(b, " %s |", markdown.Text(c.Text))
		}
		b.WriteByte('\n')
	}
	if t.Remark != "" {
		fmt.Fprintf(b, "\n%s\n", markdown.Text(t.Remark))
	}
}
