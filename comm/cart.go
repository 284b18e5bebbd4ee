package comm

import (
	"fmt"
	"math"
	"slices"
)

// A Cart is a communicator whose ranks form a Cartesian grid, in row-major order.
type Cart struct {
	*Comm
	dims    []int
	periods []bool
}

// NewCart creates a grid of the first ranks of c, collectively; ranks beyond the grid get nil.
// Dimension i is periodic if periods[i] is true. reorder is ignored, because benchmarks need a
// known placement; the launcher places neighbouring ranks near each other.
func NewCart(c *Comm, dims []int, periods []bool, reorder bool) (*Cart, error) {
	const op = "cart"
	if err := c.checkPeriods(dims, periods); err != nil {
		return nil, err
	}
	ranks := 1
	for i, d := range dims {
		if d < 1 {
			return nil, &ArgumentError{op, fmt.Sprintf("dimension %d", i), d, "1 or more"}
		}
		if d > len(c.world)/ranks {
			return nil, &ArgumentError{op, fmt.Sprintf("dimension %d", i), d, fmt.Sprintf("at most %d, the communicator has %d ranks", len(c.world)/ranks, len(c.world))}
		}
		ranks *= d
	}
	color := 0
	if c.rank >= ranks {
		color = Undefined
	}
	grid, err := c.Split(color, c.rank)
	if err != nil || grid == nil {
		return nil, err
	}
	return &Cart{grid, slices.Clone(dims), slices.Clone(periods)}, nil
}

// CartOf returns a grid of all ranks of c, without messages. It is c itself, has no contexts of its
// own, and closing it closes c. Dimensions that are 0 are chosen by DimsCreate.
func CartOf(c *Comm, dims []int, periods []bool) (*Cart, error) {
	if err := c.checkPeriods(dims, periods); err != nil {
		return nil, err
	}
	dims, err := DimsCreate(len(c.world), dims)
	if err != nil {
		return nil, err
	}
	return &Cart{c, dims, slices.Clone(periods)}, nil
}

func (c *Comm) checkPeriods(dims []int, periods []bool) error {
	if err := c.checkIntra(); err != nil {
		return err
	}
	if len(periods) != len(dims) {
		return &ArgumentError{"cart", "the number of periods", len(periods), fmt.Sprintf("%d, the number of dimensions", len(dims))}
	}
	return nil
}

// Dims returns the lengths of the dimensions.
func (k *Cart) Dims() []int { return slices.Clone(k.dims) }

// Periods reports for each dimension whether it is periodic.
func (k *Cart) Periods() []bool { return slices.Clone(k.periods) }

// Coords returns the coordinates of a rank.
func (k *Cart) Coords(rank int) ([]int, error) {
	if k.world == nil {
		return nil, ErrClosed
	}
	if uint(rank) >= uint(k.Size()) {
		return nil, &ArgumentError{"coords", "the rank", rank, k.ranks()}
	}
	coords := make([]int, len(k.dims))
	for i := len(k.dims) - 1; i >= 0; i-- {
		coords[i] = rank % k.dims[i]
		rank /= k.dims[i]
	}
	return coords, nil
}

// RankOf returns the rank at the given coordinates. In a periodic dimension coordinates wrap
// around; in others a coordinate outside of the grid is an error.
func (k *Cart) RankOf(coords ...int) (int, error) {
	if len(coords) != len(k.dims) {
		return 0, &ArgumentError{"rankof", "the number of coordinates", len(coords), fmt.Sprintf("%d, the number of dimensions", len(k.dims))}
	}
	rank := 0
	for i, x := range coords {
		x, in := k.wrap(i, x)
		if !in {
			return 0, &ArgumentError{"rankof", fmt.Sprintf("coordinate %d", i), coords[i], fmt.Sprintf("0..%d", k.dims[i]-1)}
		}
		rank = rank*k.dims[i] + x
	}
	return rank, nil
}

// wrap returns a coordinate modulo the length of a periodic dimension, and reports whether it is in
// the grid.
func (k *Cart) wrap(dim, x int) (int, bool) {
	d := k.dims[dim]
	if k.periods[dim] {
		x %= d
		if x < 0 {
			x += d
		}
	}
	return x, x >= 0 && x < d
}

// Shift returns the partners of this rank in a shift along one dimension: source is
// the rank disp steps before it, dest the rank disp steps after it. Beyond the border of a
// dimension that is not periodic they are ProcNull.
func (k *Cart) Shift(dim, disp int) (source, dest int, err error) {
	if uint(dim) >= uint(len(k.dims)) {
		return 0, 0, &ArgumentError{"shift", "the dimension", dim, fmt.Sprintf("a dimension of the grid, which has %d", len(k.dims))}
	}
	if disp == math.MinInt {
		return 0, 0, &ArgumentError{"shift", "the displacement", disp, "a number that can be negated"}
	}
	return k.neighbour(dim, -disp), k.neighbour(dim, disp), nil
}

// neighbour returns the rank disp steps away, or ProcNull.
func (k *Cart) neighbour(dim, disp int) int {
	stride := 1
	for _, d := range k.dims[dim+1:] {
		stride *= d
	}
	d := k.dims[dim]
	x := k.rank / stride % d
	if k.periods[dim] {
		disp %= d
	} else if disp > d || disp < -d {
		return ProcNull
	}
	to, in := k.wrap(dim, x+disp)
	if !in {
		return ProcNull
	}
	return k.rank + (to-x)*stride
}

// Sub partitions the grid into subgrids of the dimensions to keep, collectively, and returns the
// one that contains this rank.
func (k *Cart) Sub(keep ...bool) (*Cart, error) {
	if k.world == nil {
		return nil, ErrClosed
	}
	if len(keep) != len(k.dims) {
		return nil, &ArgumentError{"sub", "the number of dimensions", len(keep), fmt.Sprint(len(k.dims))}
	}
	coords, err := k.Coords(k.rank)
	if err != nil {
		return nil, err
	}
	color, key := 0, 0
	var dims []int
	var periods []bool
	for i, d := range k.dims {
		if keep[i] {
			key = key*d + coords[i]
			dims, periods = append(dims, d), append(periods, k.periods[i])
		} else {
			color = color*d + coords[i]
		}
	}
	grid, err := k.Split(color, key)
	if err != nil {
		return nil, err
	}
	return &Cart{grid, dims, periods}, nil
}

// DimsCreate chooses a grid for the given number of ranks, like MPI_Dims_create: dims that are 0
// are set, in descending order and with the smallest difference between the largest and the
// smallest; the others are kept.
func DimsCreate(ranks int, dims []int) ([]int, error) {
	const op = "dimscreate"
	if ranks < 1 {
		return nil, &ArgumentError{op, "the number of ranks", ranks, "1 or more"}
	}
	free, rest := 0, ranks
	for i, d := range dims {
		switch {
		case d < 0:
			return nil, &ArgumentError{op, fmt.Sprintf("dimension %d", i), d, "0 or more"}
		case d == 0:
			free++
		case rest%d != 0:
			return nil, &ArgumentError{op, fmt.Sprintf("dimension %d", i), d, fmt.Sprintf("a divisor of %d", rest)}
		default:
			rest /= d
		}
	}
	if free == 0 {
		if rest != 1 {
			return nil, &ArgumentError{op, "the number of ranks", ranks, fmt.Sprintf("%d, the product of the dimensions", ranks/rest)}
		}
		return slices.Clone(dims), nil
	}
	var search dimsSearch
	search.factor(rest, free, rest, nil)
	chosen, next := slices.Clone(dims), 0
	for i, d := range chosen {
		if d == 0 {
			chosen[i] = search.best[next]
			next++
		}
	}
	return chosen, nil
}

// dimsSearch tries all factorizations in descending order.
type dimsSearch struct{ best []int }

// factor splits n into parts factors of at most limit, after those chosen so far.
func (s *dimsSearch) factor(n, parts, limit int, chosen []int) {
	if parts == 1 {
		if n <= limit {
			s.offer(append(chosen, n))
		}
		return
	}
	for d := 1; d <= n/d; d++ {
		if n%d != 0 {
			continue
		}
		if d <= limit {
			s.factor(n/d, parts-1, d, append(slices.Clip(chosen), d))
		}
		if e := n / d; e != d && e <= limit {
			s.factor(d, parts-1, e, append(slices.Clip(chosen), e))
		}
	}
}

// offer keeps the factors with the smallest spread; among equal spreads, those with the smallest
// first factor.
func (s *dimsSearch) offer(d []int) {
	spread := func(d []int) int { return d[0] - d[len(d)-1] }
	if s.best == nil || spread(d) < spread(s.best) || spread(d) == spread(s.best) && slices.Compare(d, s.best) < 0 {
		s.best = slices.Clone(d)
	}
}
