package document

import (
	"gobench/internal/report/figure"
)

// A Document is a report as a tree of blocks. The writers for HTML, PDF and Markdown do not depend
// on records.
type Document struct {
	Title    string
	Sections []Section
}

// A Section is a heading with blocks.
type Section struct {
	Title  string
	Blocks []Block
}

// A Block is one of Lead, Text, List, Code, Table, Picture, Beside and Folded.
type Block interface{ block() }

// A Lead is the sentence that a page begins with: the answer.
type Lead string

// Beside is blocks with a picture, beside each other where the page is wide enough, else the
// picture comes last.
type Beside struct {
	Left  []Block
	Right Picture
}

// Folded is blocks below a title that a page opens on request; where there are no pages, they
// follow the title.
type Folded struct {
	Title  string
	Blocks []Block
}

// flat returns blocks with those inside of Beside and Folded in their places.
func flat(blocks []Block) (list []Block) {
	for _, b := range blocks {
		switch b := b.(type) {
		case Beside:
			list = append(append(list, flat(b.Left)...), b.Right)
		case Folded:
			list = append(append(list, b), flat(b.Blocks)...)
		default:
			list = append(list, b)
		}
	}
	return list
}

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
	Rows    [][]Field
	Remark  string
	Facts   [][2]string // that its title states of all rows: columns of CSV, with their values
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

// A Field is one field of a table. Numeric fields are aligned right and sorted by value.
type Field struct {
	Text   string
	Number bool
	Value  float64
	Half   float64 // half width of the interval in Text, in the unit of the column; 0 = there is none
	Exact  bool    // Text is Value in the unit of the column, rounded
}

// A Picture is a figure with its caption and notes.
type Picture struct{ *figure.Figure }

func (Lead) block()    {}
func (Beside) block()  {}
func (Folded) block()  {}
func (Text) block()    {}
func (List) block()    {}
func (Code) block()    {}
func (Table) block()   {}
func (Picture) block() {}

func words(s string) Field { return Field{Text: s} }

func number(v float64, text string) Field { return Field{Text: text, Number: true, Value: v} }
