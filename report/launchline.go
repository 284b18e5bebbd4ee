package report

import (
	"strings"

	"gobench/internal/record/series"
	"gobench/record"
)

// LaunchLine returns the numbers of one launch in a few words: of each series the first and the
// last column of its headline, of an application its time.
func LaunchLine(points []record.Point) string {
	rows := series.Rows(nil, points, &series.Scales{})
	table := NewTable(nil, Terminal{})
	table.describe(rows)
	var parts []string
	var messages []record.Point
	for _, r := range rows {
		if r.IsApplication() {
			m := measureOf(&r, "run_s")
			parts = append(parts, rowName(&r)+" "+m.number+" "+m.unit)
			continue
		}
		messages = append(messages, r)
	}
	panels := (&split{table: table}).panelsOf(messages)
	for _, p := range panels {
		spots := p.spots()
		for _, l := range p.lanes {
			words := []string{l.of}
			if len(panels) > 1 {
				words = []string{p.name, l.of}
			}
			for i, spot := range spots {
				if c, key := spot.pick(l); !l.other && c != nil && (i == 0 || i == len(spots)-1) {
					m := measureOf(&c.row, key)
					words = append(words, spot.title[strings.Index(spot.title, ",")+1:], m.number, m.unit)
				}
			}
			if len(words) > 2 {
				parts = append(parts, strings.Join(strings.Fields(strings.Join(words, " ")), " "))
			}
		}
	}
	return strings.Join(parts, "; ")
}
