package comm

import (
	"fmt"
	"slices"
)

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
