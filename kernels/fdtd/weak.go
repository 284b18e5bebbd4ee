package fdtd

// Grow returns the problem for weak scaling, in which each of the given number of cores has a grid
// of the size of p, in their fastest decomposition, and the source keeps its relative place.
func (p Problem) Grow(cores int) Problem {
	var best Blocks
	lowest := int64(-1)
	for y := 1; y <= cores; y++ {
		b := Blocks{cores / y, y}
		if cores%y != 0 {
			continue
		}
		if cost := b.cost(p.times(b)); lowest < 0 || cost <= lowest {
			best, lowest = b, cost
		}
	}
	return p.times(best)
}

// times returns the problem with the grid of p multiplied by b.X and b.Y.
func (p Problem) times(b Blocks) Problem {
	p.NX, p.NY = p.NX*b.X, p.NY*b.Y
	p.Source.X, p.Source.Y = p.Source.X*b.X, p.Source.Y*b.Y
	return p
}
