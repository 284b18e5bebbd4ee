package document

import (
	"gobench/internal/parallel"
	"gobench/report/cell"
	"gobench/report/figure"
)

// Build builds the document of a set: first the answer, then the data behind it. drawn is the
// command that asked for it.
func Build(s *cell.Set, figures []*figure.Figure, drawn Command) *Document {
	sections := []struct {
		title  string
		blocks func(*cell.Set) []Block
	}{
		{"The answer", answer},
		{"Machines and runs", machines},
		{"Figures", func(*cell.Set) (pictures []Block) {
			for _, f := range figures {
				pictures = append(pictures, Picture{f})
			}
			return pictures
		}},
		{"Tables", tables},
		{"How to reproduce", func(s *cell.Set) []Block { return reproduce(s, drawn) }},
		{"Rules of good practice", rules},
	}
	blocks := make([][]Block, len(sections))
	parallel.For(len(sections), func(i int) { blocks[i] = sections[i].blocks(s) })
	d := &Document{Title: title(s)}
	for i, b := range blocks {
		if len(b) > 0 {
			d.Sections = append(d.Sections, Section{sections[i].title, b})
		}
	}
	return d
}
