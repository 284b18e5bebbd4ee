package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// sampling is the number of samples and the batch of a measurement. Both sides of a comparison use
// the same, because the median depends on them.
type sampling struct {
	samples  int // that count
	together int // operations between two readings of the clock
}

// unplanned is used for sizes that gobench has not measured.
var unplanned = sampling{1000, 1}

// A plan holds gobench's sampling in its last run, by transport and cell, for use by its rivals.
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

// sizes formats the plan of a ping-pong for the C programs.
func (p *plan) sizes(group string, sizes []int) string {
	var words []string
	for _, size := range sizes {
		s := p.of(group, cell{pingpong, size})
		words = append(words, fmt.Sprintf("%d:%d:%d", size, s.samples, s.together))
	}
	return strings.Join(words, ",")
}

// collectives formats the plan of collectives for mpi_coll. The batch is fixed by the table instead
// of chosen by gobench.
func (p *plan) collectives(group string, cells []cell) string {
	var words []string
	for _, c := range cells {
		words = append(words, fmt.Sprintf("%s:%d:%d:%d", c.op, c.size, c.batch(group), p.of(group, c).samples))
	}
	return strings.Join(words, ",")
}

// first moves the indices for which is returns true to the front.
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
