package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
)

// scaling holds the time of a small collective with all ranks as goroutines of one process, up to
// many more ranks than cores. Times are in seconds, medians of scalingRuns, by operation and number
// of ranks.
type scaling struct {
	Kind  string                     `json:"kind"` // "scaling"
	Times map[string]map[int]float64 `json:"global_s"`
}

const scalingRuns = 5

var (
	scalingRanks = []int{4, 8, 16, 32, 64}
	scalingCells = []cell{{"barrier", 0}, {"allreduce", 8}}
)

// mostCrowded is the target for the time of a collective of 64 ranks on 4 cores.
const mostCrowded = 1e-3

func measureScaling(ctx context.Context, s settings, retries *retryPolicy) (*scaling, error) {
	all := &scaling{"scaling", map[string]map[int]float64{}}
	for _, c := range scalingCells {
		all.Times[c.op] = map[int]float64{}
		for _, n := range scalingRanks {
			var times []float64
			for range scalingRuns {
				var points []collPoint
				err := retries.run(ctx, "gobench, ranks as goroutines", 1, func() error {
					out, err := command(ctx, nil, s.gobench, "coll", "--launches=1", "--transport=smem", "--ranks=goroutine", "-n", strconv.Itoa(n),
						"--op="+c.op, "--sizes="+strconv.Itoa(c.size), "--batch=10",
						"--budget="+collBudget, "--json", "-o", os.DevNull)
					if err != nil {
						return err
					}
					if points, err = readCollRecords(out); err == nil && len(points) != 1 {
						err = fmt.Errorf("gobench measured %d cells of %v with %d ranks, want one", len(points), c, n)
					}
					return err
				})
				if err != nil {
					return nil, err
				}
				times = append(times, points[0].global)
			}
			all.Times[c.op][n] = middle(times)
		}
	}
	return all, nil
}

func (r *scaling) print(w io.Writer) {
	fmt.Fprintf(w, "\ngobench, ranks as goroutines of one process over smem, us, median of %d runs\n", scalingRuns)
	for _, c := range scalingCells {
		fmt.Fprintf(w, "  %s of %d bytes:", c.op, c.size)
		for _, n := range scalingRanks {
			fmt.Fprintf(w, "  %d ranks %s", n, microseconds(r.Times[c.op][n]))
		}
		fmt.Fprintln(w)
	}
}

func (r *scaling) verdicts() []verdict {
	var list []verdict
	for _, c := range scalingCells {
		for _, n := range scalingRanks[len(scalingRanks)-1:] {
			t := r.Times[c.op][n]
			list = append(list, verdict{fmt.Sprintf("%s of %d bytes, %d goroutine ranks: under 1 ms", c.op, c.size, n),
				microseconds(t) + " us", t < mostCrowded, true})
		}
	}
	return list
}
