package document

import (
	"fmt"

	"gobench/report/cell"
	"gobench/report/figure"
)

// Build makes the document of a set: the answer first, then what it rests on.
func Build(s *cell.Set, figures []*figure.Figure) *Document {
	d := &Document{Title: title(s)}
	add := func(name string, blocks []Block) {
		if len(blocks) > 0 {
			d.Sections = append(d.Sections, Section{name, blocks})
		}
	}
	add("The answer", answer(s))
	add("Machines and runs", machines(s))
	var pictures []Block
	for _, f := range figures {
		pictures = append(pictures, Picture{f})
	}
	add("Figures", pictures)
	add("Tables", tables(s))
	add("How to measure it again", again(s))
	add("Rules of good practice", rules(s))
	return d
}

// title names the report by what was run, and where.
func title(s *cell.Set) string {
	var benches []string
	seen := map[string]bool{}
	for _, p := range s.Points {
		if !seen[p.Bench] {
			seen[p.Bench] = true
			benches = append(benches, p.Bench)
		}
	}
	t := "gobench: "
	for i, b := range benches {
		switch {
		case i == 4 && len(benches) > 5:
			return t + fmt.Sprintf(" and %d more", len(benches)-i)
		case i > 0:
			t += ", "
		}
		t += b
	}
	return t
}
