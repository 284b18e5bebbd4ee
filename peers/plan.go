package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// sampling is how a time was taken, and is the same on both sides of a comparison: the median of
// more samples, or of more operations timed together, is another number.
type sampling struct {
	samples  int // that count
	together int // operations between two readings of the clock
}

// unplanned is taken where gobench has not measured a size yet.
var unplanned = sampling{1000, 1}

// plan holds how gobench took its samples the last time, by transport and cell, for its rivals to
// do the same.
type plan struct {
	mu    sync.Mutex
	cells map[string]map[cell]sampling
}

// pingpong is the name of the point-to-point cells.
const pingpong = "pingpong"

func newPlan() *plan { return &plan{cells: map[string]map[cell]sampling{}} }

func (p *plan) set(group string, c cell, s sampling) {
	if s.samples < 1 {
		return // the record does not say
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cells[group] == nil {
		p.cells[group] = map[cell]sampling{}
	}
	p.cells[group][c] = sampling{s.samples, max(1, s.together)}
}

func (p *plan) of(group string, c cell) sampling {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s, ok := p.cells[group][c]; ok {
		return s
	}
	return unplanned
}

// sizes is the plan of a ping-pong as the C programs read it.
func (p *plan) sizes(group string, sizes []int) string {
	var words []string
	for _, size := range sizes {
		s := p.of(group, cell{pingpong, size})
		words = append(words, fmt.Sprintf("%d:%d:%d", size, s.samples, s.together))
	}
	return strings.Join(words, ",")
}

// collectives is the plan of collectives as mpi_coll reads it. How many operations are timed
// together is the table's, not gobench's choice.
func (p *plan) collectives(group string, cells []cell) string {
	var words []string
	for _, c := range cells {
		words = append(words, fmt.Sprintf("%s:%d:%d:%d", c.op, c.size, c.batch(group), p.of(group, c).samples))
	}
	return strings.Join(words, ",")
}

// first puts those of an order before the others that is says.
func first(order []int, is func(int) bool) []int {
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case is(a) == is(b):
			return 0
		case is(a):
			return -1
		}
		return 1
	})
	return order
}
