package cell

// A group holds all points of a cell of a file (series.Cell). A set has few groups and many points, so
// functions on factors look at groups.
type group struct{ first Point }

// representatives returns the first point of each group, in the order of the points.
func representatives(points []Point) []Point {
	seen := map[*group]bool{}
	var some []Point
	for _, p := range points {
		if !seen[p.group] {
			seen[p.group] = true
			some = append(some, p)
		}
	}
	return some
}
