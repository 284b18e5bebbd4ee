package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A collProgram is one configuration of one library for collectives.
type collProgram struct {
	name    string   // as in the table
	group   string   // "smem" or "tcp"
	subject bool     // gobench; all others are its rivals
	effort  effort   // that went into a rival's settings
	needs   []string // executables
	// run measures all cells once, with rank i pinned to cores[i].
	run func(ctx context.Context, cores []int) ([]collPoint, error)
}

// effort is the effort that a user must spend on the configuration of a library.
type effort int

const (
	asItComes effort = iota
	usual            // settings that the library's documentation or common advice name
	searched         // found by trying for this comparison
)

func (e effort) String() string {
	return [...]string{"libraries as they come", "their usual settings too", "settings searched for this comparison too"}[e]
}

// with returns the program with the given effort.
func (p collProgram) with(e effort) collProgram {
	p.effort = e
	return p
}

// String returns the name for messages.
func (p collProgram) String() string { return "collectives of " + p.name + " over " + p.group }

// A collPoint is one cell of one run: the time from the first start to the last end of a batch of
// operations, divided by their number; the median over the program's samples, in seconds.
type collPoint struct {
	cell
	global    float64
	algorithm string // that gobench chose; empty for rivals
	samples   int    // that count
}

// mpiColl returns our C program of collectives linked to a library, with the given options.
func mpiColl(s settings, name, group string, l library, env []string, options ...string) collProgram {
	run := func(ctx context.Context, cores []int) ([]collPoint, error) {
		folder, err := os.MkdirTemp("", "peers")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(folder)
		env := append([]string{"PEERS_CORES=" + numberList(cores), "PEERS_GATE=" + filepath.Join(folder, "gate")}, env...)
		args := l.launch(len(cores), options, filepath.Join(s.c, "mpi_coll"), s.plan.collectives(group, collCells()))
		out, err := command(ctx, append(env, asRoot...), args...)
		if err != nil {
			return nil, err
		}
		return readColl(out)
	}
	return collProgram{name: name, group: group, needs: l.needs(s, "mpi_coll"), run: run}
}

// readColl reads lines such as "coll bcast size_B=8 global_s=2.8e-07".
func readColl(out string) ([]collPoint, error) {
	var points []collPoint
	for row := range strings.Lines(out) {
		rest, ok := strings.CutPrefix(row, "coll ")
		if !ok {
			continue // what a launcher says
		}
		op, _, _ := strings.Cut(rest, " ")
		f, err := fields(rest, op)
		if err != nil {
			return nil, err
		}
		points = append(points, collPoint{cell: cell{op, int(f["size_B"])}, global: f["global_s"], samples: int(f["n"])})
	}
	return points, nil
}

// complete returns an error if a run lacks a cell.
func complete(points []collPoint) error {
	times := map[cell]float64{}
	for _, p := range points {
		times[p.cell] = p.global
	}
	for _, c := range collCells() {
		if times[c] <= 0 {
			return fmt.Errorf("it measured no %v", c)
		}
	}
	return nil
}
