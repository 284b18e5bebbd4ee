package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"gobench/bench/record"
)

// output runs a program and returns its output. Its threads wait actively and are bound to cores.
func output(ctx context.Context, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), "OMP_PROC_BIND=true", "OMP_WAIT_POLICY=active")
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil, fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, bytes.TrimSpace(exit.Stderr))
	}
	return out, err
}

// ours runs gobench.
func (s settings) ours(ctx context.Context, c cell, results measured) error {
	args := []string{"npb", "--launches=1", c.kernel, "--class=" + c.class, "-n", strconv.Itoa(c.ranks)}
	metric := "mops"
	if c.kernel == fdtd {
		p, err := parseFDTD(c.class)
		if err != nil {
			return err
		}
		args, metric = p.ours(c.ranks), "mcells"
	}
	out, err := output(ctx, s.gobench, append(args, "--repeat=1", "--json", "-o", os.DevNull)...)
	if err != nil {
		return err
	}
	file, err := record.Read(bytes.NewReader(out))
	if err != nil {
		return err
	}
	for _, p := range file.Points {
		results.add(c, goRate, p.Metrics[metric].Median)
	}
	return nil
}

// twin runs the C program of the kernel, if there is one.
func (s settings) twin(ctx context.Context, c cell, results measured) error {
	if c.kernel == fdtd {
		p, err := parseFDTD(c.class)
		if err != nil {
			return err
		}
		return p.twin(ctx, s, c, results)
	}
	program := filepath.Join(s.c, c.kernel)
	if _, err := os.Stat(program); err != nil {
		return nil
	}
	out, err := output(ctx, program, c.class, strconv.Itoa(c.ranks))
	if err != nil {
		return err
	}
	rate, err := field(out, "mops")
	results.add(c, cRate, rate)
	return err
}

// stream measures memory bandwidth on as much memory as the kernel uses.
func (s settings) stream(ctx context.Context, c cell, results measured) error {
	t, ok := trafficOf(c)
	if !ok {
		return nil
	}
	out, err := output(ctx, filepath.Join(s.c, "stream"), strconv.FormatInt(int64(t.size), 10), strconv.Itoa(c.ranks))
	if err != nil {
		return err
	}
	read, err := field(out, "read_Bps")
	if err != nil {
		return err
	}
	triad, err := field(out, "triad_Bps")
	rate := max(read, triad)
	results.add(c, bandwidth, rate)
	results.add(c, bound, t.operations/(t.bytes/rate)/1e6)
	return err
}

// field parses a number of a line such as "kernel name=is mops=300".
func field(out []byte, name string) (float64, error) {
	for _, word := range strings.Fields(string(out)) {
		if value, ok := strings.CutPrefix(word, name+"="); ok {
			return strconv.ParseFloat(value, 64)
		}
	}
	return 0, fmt.Errorf("there is no %s in %q", name, out)
}
