package document

import (
	"encoding/csv"
	"io"
	"strconv"

	"gobench/internal/report/export"
)

// digits is the number of significant digits of CSV, more than a clock has.
const digits = 10

// CSV writes the tables one below the other, each with a header, and an empty line between them.
// Numbers have ten digits and no thousands separators; where a column has values with ±,
// another column follows with their half widths. What the title states of all rows are columns too.
// Text that a spreadsheet would evaluate is marked as in comparisons (export.Text).
func (d *Document) CSV(w io.Writer) error {
	first := true
	for _, s := range d.Sections {
		for _, b := range flat(s.Blocks) {
			t, ok := b.(Table)
			if !ok {
				continue
			}
			if !first {
				if _, err := io.WriteString(w, "\n"); err != nil {
					return err
				}
			}
			first = false
			if err := t.csv(w); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t Table) csv(w io.Writer) error {
	lines := make([][]string, 1+len(t.Rows))
	for _, fact := range t.Facts {
		lines[0] = append(lines[0], fact[0])
		for j := range t.Rows {
			lines[1+j] = append(lines[1+j], export.Text(fact[1]))
		}
	}
	for i, name := range t.Columns {
		widths := false
		for _, row := range t.Rows {
			widths = widths || row[i].Half > 0
		}
		lines[0] = append(lines[0], export.Text(name))
		if widths {
			lines[0] = append(lines[0], "± "+name)
		}
		for j, row := range t.Rows {
			f := row[i]
			lines[1+j] = append(lines[1+j], f.exact())
			if widths {
				half := ""
				if f.Half > 0 {
					half = strconv.FormatFloat(f.Half, 'g', digits, 64)
				}
				lines[1+j] = append(lines[1+j], half)
			}
		}
	}
	return csv.NewWriter(w).WriteAll(lines)
}

// exact returns the value of a field, or its text if that is not the value alone.
func (f Field) exact() string {
	switch {
	case f.Exact:
	case f.Number:
		return f.Text
	default:
		return export.Text(f.Text)
	}
	return strconv.FormatFloat(f.Value, 'g', digits, 64)
}
