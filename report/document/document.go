package document

import (
	"gobench/report/figure"
)

// A Document is a report as a tree of blocks. The writers for HTML, PDF and Markdown know nothing
// of records.
type Document struct {
	Title    string
	Sections []Section
}

// A Section is a heading with blocks.
type Section struct {
	Title  string
	Blocks []Block
}

// A Block is one of Text, List, Code, Table and Picture.
type Block interface{ block() }

// Text is a paragraph, List a bullet list, Code lines of a shell or program.
type (
	Text string
	List []string
	Code []string
)

// A Table has as many cells in each row as columns.
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

// A Cell is a field of a table. Numeric cells are aligned right and sorted by value.
type Cell struct {
	Text   string
	Number bool
	Value  float64
}

// A Picture is a figure with its caption and notes.
type Picture struct{ *figure.Figure }

func (Text) block()    {}
func (List) block()    {}
func (Code) block()    {}
func (Table) block()   {}
func (Picture) block() {}

func words(s string) Cell { return Cell{Text: s} }

func number(v float64, text string) Cell { return Cell{Text: text, Number: true, Value: v} }
