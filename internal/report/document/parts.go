package document

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"gobench/internal/collect"
	"gobench/internal/remedy"
	"gobench/internal/report/cell"
	"gobench/nearest"
	"gobench/record"
)

// A part is a part of a document that is written alone, to be put into a paper.
type part struct {
	name, holds string
	blocks      func(*cell.Set) []Block
}

var allParts = []part{
	{"methods", "how it was measured, as a paragraph", func(s *cell.Set) []Block { return []Block{methods(s)} }},
	{"machines", "the machines side by side, with the versions of compiler and libraries", machineTables},
	{"results", "the results of each benchmark with ±, a column for each series", sideBySideResults},
	{"comparison", "each cell of one side against the other, with ratio and interval", func(s *cell.Set) []Block {
		if r := s.Compare(); r != nil {
			return comparisons(r)
		}
		return nil
	}},
	{"rules", "the twelve rules of Hoefler and Belli, and how they are kept", rules},
}

// Parts returns a line for each part that Write writes by its name.
func Parts() (lines []string) {
	return collect.Each(allParts, func(p part) string { return fmt.Sprintf("%-14s %s", p.name, p.holds) })
}

// partsOf returns a document of the parts with some names. Errors are a *nearest.UnknownError, or
// an *EmptyError if the records have nothing for one of them.
func partsOf(s *cell.Set, names []string) (*Document, error) {
	d := &Document{}
	for _, name := range names {
		i := slices.IndexFunc(allParts, func(p part) bool { return p.name == name })
		if i < 0 {
			known := collect.Each(allParts, func(p part) string { return p.name })
			return nil, &nearest.UnknownError{What: "table", Name: name, Known: known, List: "tables", Where: fmt.Sprintf("%v describes them", remedy.Set("table", "list"))}
		}
		blocks := allParts[i].blocks(s)
		if len(blocks) == 0 {
			return nil, &EmptyError{fmt.Sprintf("these records have nothing for %v", remedy.Set("table", name))}
		}
		d.Sections = append(d.Sections, Section{Blocks: blocks})
	}
	return d, nil
}

// part writes a part of a document in the format of the extension of its path. It returns a
// *FormatError if there is no such format.
func (w *writer) part(d *Document, path string) error {
	write := map[string]func(io.Writer) error{
		".tex": d.LaTeX,
		".md":  func(out io.Writer) error { return d.Markdown(out, nil) },
		".csv": d.CSV,
	}[filepath.Ext(path)]
	if write == nil {
		return &FormatError{path}
	}
	w.create(path, write)
	return w.err
}

// parts writes all parts that the records allow into a directory, in each format.
func (w *writer) parts(s *cell.Set, dir string) {
	for _, p := range allParts {
		blocks := p.blocks(s)
		if len(blocks) == 0 {
			continue
		}
		d := &Document{Sections: []Section{{Blocks: blocks}}}
		for _, ext := range []string{".tex", ".md", ".csv"} {
			if _, text := blocks[0].(Text); !text || ext != ".csv" { // a text is no table
				w.part(d, filepath.Join(dir, p.name+ext))
			}
		}
	}
}

// sideBySideResults returns a table for each metric of each benchmark: rows are message sizes or
// numbers of ranks, columns series, and all values have the unit that the title states.
func sideBySideResults(s *cell.Set) (blocks []Block) {
	for _, bench := range benches(s) {
		at, along := axis(bench)
		by := cell.DistinguishingFactors(bench, at, along...)
		for _, of := range cell.ByTime(bench) {
			for _, key := range columns(of) {
				if series := cell.SplitBy(of.Points, key, at, by); len(series) > 0 {
					blocks = append(blocks, sideBySideTable(bench[0].Bench, key, series))
				}
			}
		}
	}
	return blocks
}

func sideBySideTable(bench, key string, series []cell.Series) Table {
	axis := "size"
	if series[0].Cells[0].Points[0].IsApplication() {
		axis = "ranks"
	}
	var values, xs []float64
	names := map[float64]string{}
	fewest, largest := 0, 0 // launches
	for _, s := range series {
		for _, c := range s.Cells {
			values, xs = append(values, c.Median), append(xs, c.X)
			names[c.X] = where(c.Points[0])
			fewest, largest = min(cmp.Or(fewest, c.Launches()), c.Launches()), max(largest, c.Launches())
		}
	}
	u := unitOf(key, values...)
	m, _ := record.Lookup(key)
	metric := cmp.Or(m.Name, key)
	t := Table{Title: cell.Capital(cell.BenchName(bench)) + ": " + u.in(metric), Columns: []string{axis}, Facts: [][2]string{{"benchmark", bench}, {"metric", metric}, {"unit", u.name}}}
	for _, s := range series {
		t.Columns = append(t.Columns, cmp.Or(s.Name, metric))
	}
	slices.Sort(xs)
	for _, x := range slices.Compact(xs) {
		row := make([]Field, len(t.Columns))
		row[0] = number(x, strings.TrimSuffix(strings.TrimSuffix(names[x], " ranks"), " rank"))
		for i, s := range series {
			for _, c := range s.Cells {
				if c.X == x {
					row[1+i] = u.plusMinus(c)
				}
			}
		}
		t.Rows = append(t.Rows, row)
	}
	launches := fmt.Sprint(largest)
	if fewest < largest {
		launches = fmt.Sprintf("%d to %d", fewest, largest)
	}
	t.Remark = fmt.Sprintf("Median over %s launches ± the larger half of its 95 %% interval between launches. Values without ± have fewer than six launches, or launches that drift. Empty: not measured.", launches)
	return t
}
