package main

import "slices"

// A collRun is one run of one program.
type collRun struct {
	round         int
	before, after float64 // largest distance of any two of its cores, seconds
	times         map[cell]collPoint
}

// collResults holds all runs. States are computed on request, because the lowest distance may be
// measured late.
type collResults struct {
	cores *pair
	runs  map[string]map[string][]collRun // by transport and program
}

func newCollResults(cores *pair) *collResults {
	return &collResults{cores, map[string]map[string][]collRun{}}
}

func (r *collResults) add(p collProgram, round int, before, after float64, points []collPoint) state {
	if r.runs[p.group] == nil {
		r.runs[p.group] = map[string][]collRun{}
	}
	run := collRun{round, before, after, map[cell]collPoint{}}
	for _, x := range points {
		run.times[x.cell] = x
	}
	r.runs[p.group][p.name] = append(r.runs[p.group][p.name], run)
	return r.cores.state(before, after)
}

// states returns the number of runs of a transport in each state.
func (r *collResults) states(group string) (count [3]int) {
	for _, runs := range r.runs[group] {
		for _, run := range runs {
			count[r.cores.state(run.before, run.after)]++
		}
	}
	return count
}

// state returns the state in which a transport is compared: that of most runs.
func (r *collResults) state(group string) state {
	if count := r.states(group); count[far] > count[near] {
		return far
	}
	return near
}

// series returns the time of a program and cell by round, from runs in one state. The value of a
// round is the median of its runs.
func (r *collResults) series(p collProgram, c cell, s state) map[int]float64 {
	values := map[int][]float64{}
	for _, run := range r.runs[p.group][p.name] {
		if x, ok := run.times[c]; ok && r.cores.state(run.before, run.after) == s {
			values[run.round] = append(values[run.round], x.global)
		}
	}
	series := map[int]float64{}
	for round, v := range values {
		series[round] = middle(v)
	}
	return series
}

// algorithm returns the algorithm that gobench chose most often for a cell; empty if no record has
// it.
func (r *collResults) algorithm(p collProgram, c cell) string {
	var names []string
	for _, run := range r.runs[p.group][p.name] {
		if name := run.times[c].algorithm; name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if len(names) == 0 {
		return ""
	}
	return names[len(names)/2]
}
