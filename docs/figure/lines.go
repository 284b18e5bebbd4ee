package main

import (
	"maps"
	"slices"

	"gobench/bench/record"
)

// line is one transport's metric over size.
type line struct {
	name   string
	points []point
}

// point is a median with its interval; lo and hi equal it where there is none.
type point struct{ size, median, lo, hi float64 }

// lines takes the ping-pongs at level device, the last record of each size, in
// the unit that scale makes of the metric.
func lines(file *record.File, metric string, scale float64) []line {
	found := map[string]map[float64]point{}
	for _, p := range file.Points {
		v, ok := p.Metrics[metric]
		if !ok || p.Bench != "pingpong" || p.Level != "device" || p.Size == 0 {
			continue
		}
		if found[p.Transport] == nil {
			found[p.Transport] = map[float64]point{}
		}
		x := point{float64(p.Size), v.Median * scale, v.Lo * scale, v.Hi * scale}
		if v.Lo == 0 || v.Hi == 0 {
			x.lo, x.hi = x.median, x.median
		}
		found[p.Transport][x.size] = x
	}
	var all []line
	for _, name := range slices.Sorted(maps.Keys(found)) {
		l := line{name: name}
		for _, size := range slices.Sorted(maps.Keys(found[name])) {
			l.points = append(l.points, found[name][size])
		}
		all = append(all, l)
	}
	return all
}
