package document

import (
	"gobench/report/figure"
)

// Document is a report as a tree of blocks. What writes it (HTML, PDF,
// Markdown) knows nothing of records.
type Document struct {
	Title    string
	Sections []Section
}

// Section is a heading with what stands below it.
type Section struct {
	Title  string
	Blocks []Block
}

// Block is one of Text, List, Code, Table and Picture.
type Block interface{ block() }

// Text is a paragraph, List are sentences with points before them, Code is
// lines as they are typed.
type (
	Text string
	List []string
	Code []string
)

// Table has as many cells in each row as there are columns.
type Table struct {
	Title   string
	Columns []string
	Rows    [][]Cell
	Note    string
}

// Numbers reports whether a column holds numbers.
func (t Table) Numbers(column int) bool {
	for _, row := range t.Rows {
		if row[column].Text != "" {
			return row[column].Number
		}
	}
	return false
}

// Cell is one field of a table. Those with a number are written to the right
// and sorted by it.
type Cell struct {
	Text   string
	Number bool
	Value  float64
}

// Picture is a figure with its texts.
type Picture struct{ *figure.Figure }

func (Text) block()    {}
func (List) block()    {}
func (Code) block()    {}
func (Table) block()   {}
func (Picture) block() {}

func words(s string) Cell { return Cell{Text: s} }

func number(v float64, text string) Cell { return Cell{Text: text, Number: true, Value: v} }
