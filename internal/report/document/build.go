package document

import (
	"gobench/internal/collect"
	"gobench/internal/parallel"
	"gobench/internal/report/cell"
	"gobench/internal/report/figure"
)

// Build builds the document of a set: first the answer with the first figure, then the data behind
// it. drawn is the command that asked for it.
func Build(s *cell.Set, figures []*figure.Figure, drawn Command) *Document {
	first, rest := figures, []*figure.Figure(nil)
	if len(figures) > 1 {
		first, rest = figures[:1], figures[1:]
	}
	folded := func(title string, blocks func(*cell.Set) []Block) func(*cell.Set) []Block {
		return func(s *cell.Set) []Block {
			if list := blocks(s); len(list) > 0 {
				return []Block{Folded{title, list}}
			}
			return nil
		}
	}
	sections := []struct {
		title  string
		blocks func(*cell.Set) []Block
	}{
		{"The answer", func(s *cell.Set) []Block { return answer(s, first) }},
		{"Machines and runs", machines},
		{"Figures", func(*cell.Set) (pictures []Block) {
			return collect.Each(rest, func(f *figure.Figure) Block { return Picture{f} })
		}},
		{"Tables", tables},
		{"Methods", func(s *cell.Set) []Block { return []Block{methods(s)} }},
		{"How to reproduce", folded("Commands", func(s *cell.Set) []Block { return reproduce(s, drawn) })},
		{"Rules of good practice", folded("Rules and how they are kept", rules)},
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
