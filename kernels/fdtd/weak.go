package fdtd

// Grow makes the problem in which each of so many ranks has a grid like p, with
// blocks as fast as can be, and the source where it was in proportion.
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

// times is the problem on a grid that is so many times p's each way.
func (p Problem) times(b Blocks) Problem {
	p.NX, p.NY = p.NX*b.X, p.NY*b.Y
	p.Source.X, p.Source.Y = p.Source.X*b.X, p.Source.Y*b.Y
	return p
}
