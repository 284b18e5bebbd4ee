package figure

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/vg"

	"gobench/internal/human"
)

// Smallest sizes of panels at letters of style.Normal, in which axes leave room for data.
const (
	minWide   = vg.Length(140)
	minOfMany = vg.Length(105) // of figures with many panels
	minHigh   = vg.Length(62)
)

// reflow arranges the panels in as many columns as the width allows, and, if the height is given,
// in those that leave panels of the best proportions.
func (f *Figure) reflow() error {
	panels := f.panels()
	if len(panels) == 0 {
		return nil
	}
	sheet := &f.sheet
	width, scale := sheet.InnerWidth(), sheet.Scale()
	smallest := minWide
	if len(panels) > 4 {
		smallest = minOfMany
	}
	largest := max(1, int(width/(smallest*scale)))
	columns := min(len(f.Rows[0]), largest)
	if sheet.Height > 0 {
		room := sheet.Height - f.legendHeight(width)
		columns = 1
		for c := range min(largest, len(panels)) {
			if lopsided(width, room, len(panels), c+1) < lopsided(width, room, len(panels), columns) {
				columns = c + 1
			}
		}
		rows := (len(panels) + columns - 1) / columns
		if need := minHigh * scale * vg.Length(rows); room < need {
			smallest := float64((need+sheet.Height-room)/vg.Centimeter) + 0.05
			return fmt.Errorf("figure %s has %s and needs a height of %.1f cm", f.Name, human.Count(rows, "row of panels", "rows of panels"), smallest)
		}
	}
	if columns == len(f.Rows[0]) {
		return nil
	}
	f.Rows = rearranged(f.Rows, columns)
	return nil
}

// lopsided returns how far the proportions of panels in columns are from those of good figures.
func lopsided(width, height vg.Length, panels, columns int) float64 {
	rows := (panels + columns - 1) / columns
	proportion := float64(width/vg.Length(columns)) / float64(height/vg.Length(rows))
	return math.Abs(math.Log(proportion / 1.5))
}

// rearranged puts panels into another number of columns. Labels of the axes that only some panels
// had, because those beside or below them had the same, are given to all that need them.
func rearranged(rows [][]*Panel, columns int) (arranged [][]*Panel) {
	var panels []*Panel
	for i, row := range rows {
		for j, p := range row {
			if p == nil {
				continue
			}
			for _, below := range rows[i:] {
				if p.XLabel == "" && below[j] != nil {
					p.XLabel = below[j].XLabel
				}
			}
			for k := j - 1; k >= 0 && p.YLabel == ""; k-- {
				if row[k] != nil {
					p.YLabel = row[k].YLabel
				}
			}
			panels = append(panels, p)
		}
	}
	for from := 0; from < len(panels); from += columns {
		row := make([]*Panel, columns)
		copy(row, panels[from:])
		arranged = append(arranged, row)
	}
	for i, row := range arranged {
		for j, p := range row {
			if i+1 < len(arranged) && p != nil && arranged[i+1][j] != nil && sameX(p, arranged[i+1][j]) {
				p.XLabel = ""
			}
		}
	}
	return arranged
}

// sameX reports whether the x axes of two panels are the same.
func sameX(a, b *Panel) bool {
	return a.XLabel == b.XLabel && a.X.Min == b.X.Min && a.X.Max == b.X.Max && a.X.Scale == b.X.Scale
}
