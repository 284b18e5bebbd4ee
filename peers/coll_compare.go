package main

import (
	"maps"
	"math"
	"slices"

	"gobench/bench/stats"
)

// A comparison is one cell of one transport: gobench and its fastest rival.
type comparison struct {
	cell
	own, best float64 // seconds, medians of the rounds that count
	algorithm string  // of gobench
	rival     string
	ratio     stats.Interval // own / best
	n         int            // rounds that count, of the one with fewer; 0 = nothing to compare
}

// comparisons compares every cell of one transport, in the state of most runs, with rivals up to an
// effort. The rival of a cell is the configuration with the lowest median.
func comparisons(programs []collProgram, all *collResults, group string, most effort) []comparison {
	s := all.state(group)
	var us collProgram
	var rivals []collProgram
	for _, p := range programs {
		switch {
		case p.group == group && p.subject:
			us = p
		case p.group == group && p.effort <= most:
			rivals = append(rivals, p)
		}
	}
	var list []comparison
	for _, c := range collCells() {
		d := comparison{cell: c, algorithm: all.algorithm(us, c)}
		var own, best stats.Interval
		own, d.n = interval(all.series(us, c, s))
		d.rival, best, d.n = strongest(rivals, all, c, s, d.n)
		d.own, d.best = own.Median, best.Median
		if d.n > 0 {
			d.ratio = stats.Ratio(best, own)
		}
		list = append(list, d)
	}
	return list
}

// interval returns the median of a series with its interval, and the number of rounds.
func interval(series map[int]float64) (stats.Interval, int) {
	if len(series) == 0 {
		return stats.Interval{}, 0
	}
	medians := make([]float64, 0, len(series))
	for _, round := range slices.Sorted(maps.Keys(series)) {
		medians = append(medians, series[round])
	}
	return stats.Launches(medians).Interval(), len(series)
}

// strongest returns the rival with the lowest median, and the number of rounds that it shares with
// own rounds. A rival with few rounds, which may be an outlier, is ignored if others have enough.
func strongest(rivals []collProgram, all *collResults, c cell, s state, own int) (name string, best stats.Interval, n int) {
	most := 0
	for _, p := range rivals {
		most = max(most, len(all.series(p, c, s)))
	}
	for _, p := range rivals {
		time, rounds := interval(all.series(p, c, s))
		if rounds > 0 && rounds >= min(fewest, most) && (name == "" || time.Median < best.Median) {
			name, best, n = p.name, time, min(own, rounds)
		}
	}
	return name, best, n
}

// geometricMean returns the geometric mean of the ratios of all cells, or false if a cell has no
// ratio.
func geometricMean(list []comparison) (float64, bool) {
	var sum float64
	for _, d := range list {
		if d.n == 0 {
			return 0, false
		}
		sum += math.Log(d.ratio.Median)
	}
	return math.Exp(sum / float64(len(list))), len(list) > 0
}
