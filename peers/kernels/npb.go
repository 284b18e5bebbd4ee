package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A library is NPB itself, built by the user with one MPI, because no package contains it.
type library struct {
	folder string   // has cg.A.x and so on, as NPB's Makefile names them
	launch []string // such as mpirun --bind-to core -n; the number of ranks follows
}

// parseLibrary parses FOLDER=COMMAND.
func parseLibrary(text string) (library, error) {
	folder, command, ok := strings.Cut(text, "=")
	launch := strings.Fields(command)
	if !ok || folder == "" || len(launch) == 0 {
		return library{}, fmt.Errorf("%q is not FOLDER=COMMAND, such as npb/bin=mpirun --bind-to core -n", text)
	}
	return library{folder, launch}, nil
}

// run runs the kernel if it was built. A run that fails verification is an error.
func (l library) run(ctx context.Context, c cell, k kind, results measured) error {
	program := filepath.Join(l.folder, c.kernel+"."+c.class+".x")
	if _, err := os.Stat(program); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	args := append(slices.Clone(l.launch[1:]), strconv.Itoa(c.ranks), program)
	out, err := output(ctx, l.launch[0], args...)
	if err != nil {
		return err
	}
	rate, err := officialRate(out)
	if err != nil {
		return fmt.Errorf("%s: %w", program, err)
	}
	results.add(c, k, rate)
	return nil
}

var (
	officialMops = regexp.MustCompile(`Mop/s total\s*=\s*([0-9.Ee+]+)`)
	verified     = regexp.MustCompile(`Verification\s*=\s*SUCCESSFUL`)
)

// officialRate returns the rate that NPB prints.
func officialRate(out []byte) (float64, error) {
	m := officialMops.FindSubmatch(out)
	if m == nil || !verified.Match(out) {
		return 0, errors.New("there is no verified result in what it printed")
	}
	return strconv.ParseFloat(string(m[1]), 64)
}
