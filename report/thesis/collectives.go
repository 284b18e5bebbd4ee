package thesis

import (
	"slices"

	"gobench/report/cell"
	"gobench/report/figure"
)

// collectives is both ways in which the thesis looks at them.
func collectives(s *cell.Set) []*figure.Figure {
	return slices.Concat(figure.Collectives(s), figure.Scaling(s))
}
