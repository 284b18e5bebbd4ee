package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// cellBudget bounds the measuring time of one size. It is as short as that of the rivals, because
// the pair of cores must stay near meanwhile.
const cellBudget = "60ms"

// gobench returns the program under test, measured through its command line and its records.
func gobench(s settings, name, group string, role role, level string, sizes []int) program {
	run := func(ctx context.Context, cores [2]int, sizes []int) ([]point, error) {
		before, err := distance(ctx, s, cores)
		if err != nil {
			return nil, err
		}
		out, err := command(ctx, nil, s.gobench, "p2p", "--launches=1", "--transport="+group, "--level="+level,
			"--sizes="+sizeList(sizes), "--pin="+coreList(cores), "--budget="+cellBudget, "--json", "-o", os.DevNull)
		if err != nil {
			return nil, err
		}
		after, err := distance(ctx, s, cores)
		if err != nil {
			return nil, err
		}
		points, err := readRecords(out)
		for i := range points {
			// Only shared-memory transports measure the distance of cores around each size.
			if points[i].before == 0 || points[i].after == 0 {
				points[i].before, points[i].after = before, after
			}
			if role == subject {
				s.plan.set(group, cell{pingpong, points[i].size}, points[i].sampling)
			}
		}
		return points, err
	}
	return program{name, group, role, sizes, []string{s.gobench}, run}
}

// readRecords reads gobench's rows of kind "point".
func readRecords(out string) ([]point, error) {
	var points []point
	for row := range strings.Lines(out) {
		var r struct {
			Kind    string
			Size    int `json:"size_B"`
			Path    string
			Batched int
			HalfRTT struct {
				Median float64
				N      int
			} `json:"half_rtt_s"`
			Before float64 `json:"distance_before_s"`
			After  float64 `json:"distance_after_s"`
		}
		if err := json.Unmarshal([]byte(row), &r); err != nil {
			return nil, fmt.Errorf("gobench wrote a row that is not JSON: %w", err)
		}
		if r.Kind == "point" {
			points = append(points, point{size: r.Size, halfRTT: r.HalfRTT.Median, before: r.Before, after: r.After, path: r.Path,
				sampling: sampling{r.HalfRTT.N, max(1, r.Batched)}})
		}
	}
	return points, nil
}
