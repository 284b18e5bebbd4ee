package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// startResult holds startup times in seconds, medians of startRuns.
type startResult struct {
	Kind     string             `json:"kind"` // "start"
	Ranks    int                `json:"ranks"`
	FirstRow map[string]float64 `json:"first_row_s"` // by transport: from the command to gobench's first row, 2 ranks
	Whole    map[string]float64 `json:"whole_s"`     // by program: start, wire up, one message each, end
	Memory   float64            `json:"memory_B"`    // most that all of gobench's processes held at once, shared pages counted once
}

const startRuns = 5

// measureStart measures the startup of gobench and of both MPIs with many ranks.
func measureStart(ctx context.Context, s settings, retries *retryPolicy) (*startResult, error) {
	r := &startResult{Kind: "start", Ranks: s.ranks, FirstRow: map[string]float64{}, Whole: map[string]float64{}}
	for _, transport := range []string{"smem", "tcp"} {
		var times []float64
		for range startRuns {
			var t float64
			err := retries.run(ctx, "start of gobench", 1, func() (err error) {
				t, err = firstRow(ctx, s.gobench, "p2p", "--launches=1", "--transport="+transport, "--sizes=8", "--json", "-o", os.DevNull)
				return err
			})
			if err != nil {
				return nil, err
			}
			times = append(times, t)
		}
		r.FirstRow[transport] = middle(times)
	}

	n := strconv.Itoa(s.ranks)
	mine := []string{s.gobench, "p2p", "--launches=1", "--transport=smem", "--bench=exchange", "--sizes=8", "--budget=1ms", "--json", "-n", n, "-o", os.DevNull}
	whole := map[string][]string{
		"gobench":  mine,
		"Open MPI": openMPI.launch(s.ranks, []string{"--mca", "btl", "self,vader"}, filepath.Join(s.c, "mpi_start")),
		"MPICH":    mpich.launch(s.ranks, nil, filepath.Join(s.c, "mpi_start")),
	}
	needs := map[string][]string{"Open MPI": openMPI.needs(s, "mpi_start"), "MPICH": mpich.needs(s, "mpi_start")}
	for _, name := range sorted(whole) {
		program := "start of " + name
		retries.needs(program, needs[name])
		if retries.out[program] != nil {
			continue
		}
		var times []float64
		for range startRuns {
			var took float64
			err := retries.run(ctx, program, 1, func() error {
				begin := time.Now()
				_, err := command(ctx, asRoot, whole[name]...)
				took = time.Since(begin).Seconds()
				return err
			})
			if err != nil && name == "gobench" || stopped(ctx) {
				return nil, err
			}
			if err != nil {
				retries.leaveOut(program, err)
				break
			}
			times = append(times, took)
		}
		if retries.out[program] == nil {
			r.Whole[name] = middle(times)
		}
	}
	memory, err := peakMemory(ctx, mine...)
	r.Memory = memory
	return r, err
}

// firstRow returns the time from the start of a command to its first row of kind "point", in
// seconds.
func firstRow(ctx context.Context, args ...string) (float64, error) {
	ctx, cancel := context.WithTimeout(ctx, programTime)
	defer cancel()
	cmd := prepare(ctx, nil, args...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	var took float64
	rows := bufio.NewScanner(out)
	rows.Buffer(nil, 1<<20)
	for rows.Scan() {
		points, err := readRecords(rows.Text())
		if err == nil && len(points) > 0 && took == 0 {
			took = time.Since(begin).Seconds()
		}
	}
	if err := cmd.Wait(); err != nil {
		return 0, fmt.Errorf("%v: %w", args, err)
	}
	if took == 0 {
		return 0, fmt.Errorf("%v printed no row", args)
	}
	return took, nil
}

func (r *startResult) print(w io.Writer) {
	fmt.Fprintf(w, "\nstart: median of %d\n", startRuns)
	for _, transport := range []string{"smem", "tcp"} {
		fmt.Fprintf(w, "  from command to first row over %s, 2 ranks: %.2f s\n", transport, r.FirstRow[transport])
	}
	var names []string
	for name := range r.Whole {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(w, "  start, wire up, exchange and end %d ranks, %s: %.2f s\n", r.Ranks, name, r.Whole[name])
	}
	fmt.Fprintf(w, "  memory of %d ranks of gobench over smem, all processes, at its peak: %.0f MiB\n", r.Ranks, r.Memory/(1<<20))
}

func (r *startResult) verdicts() []verdict {
	row := max(r.FirstRow["smem"], r.FirstRow["tcp"])
	return []verdict{
		{"from command to first row: under 1 s", fmt.Sprintf("%.2f s", row), row < 1, true},
		{fmt.Sprintf("%d ranks started, wired up and ended on smem: under 2 s", r.Ranks),
			fmt.Sprintf("%.2f s", r.Whole["gobench"]), r.Whole["gobench"] < 2, true},
		{fmt.Sprintf("%d ranks on smem: under 1 GiB in all", r.Ranks),
			fmt.Sprintf("%.0f MiB", r.Memory/(1<<20)), r.Memory < 1<<30, true},
	}
}
