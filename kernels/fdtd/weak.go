package fdtd

// Grow returns the problem for weak scaling, in which each of the given number of ranks has a grid
// of the size of p and the source keeps its relative place, and its fastest decomposition.
func (p Problem) Grow(ranks int) (Problem, Blocks) {
	var best Blocks
	least := int64(-1)
	for y := 1; y <= ranks; y++ {
		b := Blocks{ranks / y, y}
		if ranks%y != 0 {
			continue
		}
		if cost := b.cost(p.times(b)); least < 0 || cost <= least {
			best, least = b, cost
		}
	}
	return p.times(best), best
}

// times returns the problem with the grid of p multiplied by b.X and b.Y.
func (p Problem) times(b Blocks) Problem {
	p.NX, p.NY = p.NX*b.X, p.NY*b.Y
	p.Source.X, p.Source.Y = p.Source.X*b.X, p.Source.Y*b.Y
	return p
}
