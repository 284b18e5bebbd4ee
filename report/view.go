package report

import (
	"gobench/internal/bench/state"
	"gobench/internal/record/series"
	"gobench/record"
)

// A View selects how much of the results a table shows.
type View struct {
	Full     bool // all columns, all states of the cores, and all notes, in the style of IMB
	States   bool // a row for each state of the cores
	Warnings bool // all warnings

	// Records is the file that the pointers to more name, "" for none.
	Records string
}

// visible returns the rows that a table shows: of each cell the row of the state of the cores in
// most launches, and rows of other states that differ from it by more than their intervals, or all
// with View.States.
func (v View) visible(rows []record.Point) []record.Point {
	if v.States || v.Full {
		return rows
	}
	cells := byCell(rows)
	if len(cells) == len(rows) {
		return rows
	}
	kept := make([]record.Point, 0, len(rows))
	for _, cell := range cells {
		main := mainState(cell)
		for i := range cell {
			if i == main || differs(&cell[main], &cell[i]) {
				kept = append(kept, cell[i])
			}
		}
	}
	return kept
}

// byCell splits rows into those of each cell, which follow each other (see series.Rows).
func byCell(rows []record.Point) [][]record.Point {
	var cells [][]record.Point
	begin := 0
	for i := range rows {
		if i+1 == len(rows) || !sameCell(&rows[i], &rows[i+1]) {
			cells = append(cells, rows[begin:i+1])
			begin = i + 1
		}
	}
	return cells
}

// sameCell reports whether rows are of one cell in different states of the cores.
func sameCell(a, b *record.Point) bool {
	return a.State != b.State && a.Size == b.Size && a.Host == b.Host && a.Map == b.Map && a.Label == b.Label && a.CellKey() == b.CellKey()
}

// mainState returns the index of the row of most launches. Of equal ones it prefers one with an
// interval, then the nearest cores.
func mainState(cell []record.Point) int {
	best := 0
	for i := range cell {
		a, b := &cell[i], &cell[best]
		known := mainValue(a).Confidence > 0 && mainValue(b).Confidence == 0
		if n, m := max(1, a.Launches), max(1, b.Launches); n > m || n == m && known {
			best = i
		}
	}
	return best
}

// mainValue returns the value of the main metric of a row.
func mainValue(p *record.Point) record.Value { return p.Metrics.Get(series.Main(p.Metrics)) }

// differs reports whether two rows of a cell differ by more than their intervals. A row without an
// interval differs if its median is outside of that of the other one.
func differs(a, b *record.Point) bool {
	x, y := mainValue(a), mainValue(b)
	switch {
	case x.Confidence > 0 && y.Confidence > 0:
		return x.Hi < y.Lo || y.Hi < x.Lo
	case x.Confidence > 0:
		return y.Median < x.Lo || y.Median > x.Hi
	case y.Confidence > 0:
		return x.Median < y.Lo || x.Median > y.Hi
	}
	return false
}

// rowState returns the state of the cores of a row of a summary.
func rowState(p *record.Point) state.State { return state.Parse(p.State) }
