package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// collBudget bounds the measuring time of one cell of gobench.
const collBudget = "40ms"

// gobenchColl returns the program under test. Sizes with the same batch share one run.
func gobenchColl(s settings, group string) collProgram {
	run := func(ctx context.Context, cores []int) ([]collPoint, error) {
		var points []collPoint
		for _, part := range partsByBatch(group) {
			out, err := command(ctx, nil, s.gobench, "coll", "--launches=1", "--transport="+group, "--op="+strings.Join(part.ops, ","),
				"--sizes="+sizeList(part.sizes), "-n", strconv.Itoa(len(cores)), "--pin="+numberList(cores),
				"--start=time", "--batch="+strconv.Itoa(part.batch), "--budget="+collBudget, "--json", "-o", os.DevNull)
			if err != nil {
				return nil, err
			}
			more, err := readCollRecords(out)
			if err != nil {
				return nil, err
			}
			for _, x := range more {
				s.plan.set(group, x.cell, sampling{x.samples, x.batch(group)})
			}
			points = append(points, more...)
		}
		return points, nil
	}
	return collProgram{name: "gobench", group: group, subject: true, needs: []string{s.gobench}, run: run}
}

// A collPart is the cells of one run of gobench.
type collPart struct {
	ops   []string
	sizes []int
	batch int
}

// partsByBatch groups the cells of a transport by their batch.
func partsByBatch(group string) []collPart {
	parts := []collPart{{[]string{"barrier"}, []int{0}, cell{"barrier", 0}.batch(group)}}
	for _, size := range collSizes {
		last := &parts[len(parts)-1]
		if k := (cell{"", size}).batch(group); k != last.batch || last.ops[0] == "barrier" {
			parts = append(parts, collPart{collOps[1:], []int{size}, k})
		} else {
			last.sizes = append(last.sizes, size)
		}
	}
	return parts
}

// readCollRecords reads gobench's rows of kind "point". Where the cores changed their state, a cell has a row
// for each state: the one with most samples counts, because rivals print one number for all of them.
func readCollRecords(out string) ([]collPoint, error) {
	var points []collPoint
	for row := range strings.Lines(out) {
		var r struct {
			Kind   string
			Bench  string
			Size   int    `json:"size_B"`
			Algo   string `json:"algorithm"`
			Global struct {
				Median float64
				N      int
			} `json:"global_s"`
		}
		if err := json.Unmarshal([]byte(row), &r); err != nil {
			return nil, fmt.Errorf("gobench wrote a row that is not JSON: %w", err)
		}
		if r.Kind == "point" {
			point := collPoint{cell{r.Bench, r.Size}, r.Global.Median, r.Algo, r.Global.N}
			i := slices.IndexFunc(points, func(p collPoint) bool { return p.cell == point.cell })
			if i < 0 {
				points = append(points, point)
			} else if point.samples > points[i].samples {
				points[i] = point
			}
		}
	}
	return points, nil
}
