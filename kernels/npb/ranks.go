package npb

import (
	"fmt"
	"math/bits"
	"strings"

	"gobench/internal/remedy"
)

// RanksError reports a number of ranks that cannot run a kernel, with the numbers that can.
type RanksError struct {
	Kernel string
	Class  Class
	Ranks  int
	Legal  string // "a power of two up to 128"
	Near   []int  // legal numbers next to Ranks
}

func (e *RanksError) Error() string {
	s := fmt.Sprintf("%s class %v runs on %s ranks, not on %d", e.Kernel, e.Class, e.Legal, e.Ranks)
	var near []string
	for _, n := range e.Near {
		near = append(near, remedy.Set("np", n).String())
	}
	if near != nil {
		s += ": use " + strings.Join(near, " or ")
	}
	return s
}

// Misfit implements exit.Misfit.
func (e *RanksError) Misfit() {}

// PowerOfTwo returns a *RanksError unless ranks is a power of two from least to most.
func PowerOfTwo(kernel string, class Class, ranks, low, high int) error {
	if ranks >= low && ranks <= high && bits.OnesCount(uint(ranks)) == 1 {
		return nil
	}
	e := &RanksError{Kernel: kernel, Class: class, Ranks: ranks, Legal: fmt.Sprintf("a power of two from %d to %d", low, high)}
	below := low
	for 2*below < ranks && 2*below <= high {
		below *= 2
	}
	e.Near = []int{below}
	if ranks > below && 2*below <= high {
		e.Near = append(e.Near, 2*below)
	}
	return e
}
