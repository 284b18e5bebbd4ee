package thesis

import (
	"slices"

	"gobench/report/cell"
	"gobench/report/figure"
)

// collectives returns both views of collectives in the thesis.
func collectives(s *cell.Set) []*figure.Figure {
	return slices.Concat(figure.Collectives(s), figure.Scaling(s))
}
