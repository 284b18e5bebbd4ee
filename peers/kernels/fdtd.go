package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// fdtd is the name of the kernel whose class is its problem: "4096x4096x60-single".
const fdtd = "fdtd"

// A fdtdProblem is a problem of FDTD.
type fdtdProblem struct{ nx, ny, steps, real string }

func parseFDTD(class string) (p fdtdProblem, err error) {
	problem, real, ok := strings.Cut(class, "-")
	parts := strings.Split(problem, "x")
	if !ok || len(parts) != 3 {
		return p, fmt.Errorf("problem %q of fdtd: want points, steps and precision such as 4096x4096x60-single", class)
	}
	return fdtdProblem{parts[0], parts[1], parts[2], real}, nil
}

// ours returns the command line of gobench.
func (p fdtdProblem) ours(ranks int) []string {
	return []string{"fdtd", "--grid=" + p.nx + "x" + p.ny, "--steps=" + p.steps, "--real=" + p.real, "-n", strconv.Itoa(ranks)}
}

// bytes returns the minimum memory traffic of a step for a point: three fields read and written.
func (p fdtdProblem) bytes() float64 {
	if p.real == "double" {
		return 48
	}
	return 24
}

// twin runs the C program, which measures bandwidth with the traffic of the scheme: three arrays
// read and written.
func (p fdtdProblem) twin(ctx context.Context, s settings, c cell, results measured) error {
	out, err := output(ctx, filepath.Join(s.c, fdtd), p.nx, p.ny, p.steps, p.real, strconv.Itoa(c.ranks))
	if err != nil {
		return err
	}
	rate, err := field(out, "mcells")
	if err != nil {
		return err
	}
	update, err := field(out, "update_Bps")
	results.add(c, cRate, rate)
	results.add(c, bandwidth, update)
	results.add(c, bound, update/p.bytes()/1e6)
	return err
}
