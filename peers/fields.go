package main

import (
	"fmt"
	"strconv"
	"strings"
)

// fields parses a line such as "point size_B=8 half_rtt_s=1.5e-07" from the C programs.
func fields(row, kind string) (map[string]float64, error) {
	words := strings.Fields(row)
	if len(words) == 0 || words[0] != kind {
		return nil, fmt.Errorf("want a line that starts with %q, got %q", kind, row)
	}
	f := make(map[string]float64, len(words))
	for _, word := range words[1:] {
		name, text, _ := strings.Cut(word, "=")
		number, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, fmt.Errorf("%q in %q is not a number", word, row)
		}
		f[name] = number
	}
	return f, nil
}

// readPoints parses all lines "point ..." of a C program's output.
func readPoints(out string) ([]point, error) {
	var points []point
	for row := range strings.Lines(out) {
		if !strings.HasPrefix(row, "point ") {
			continue // what a launcher says
		}
		f, err := fields(row, "point")
		if err != nil {
			return nil, err
		}
		points = append(points, point{
			size: int(f["size_B"]), halfRTT: f["half_rtt_s"],
			before: f["before_s"], after: f["after_s"], sampling: sampling{int(f["n"]), int(f["batch"])},
		})
	}
	return points, nil
}
