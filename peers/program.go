package main

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"
)

// A program is one configuration of one library or tool.
type program struct {
	name  string // as in the table
	group string // "smem" or "tcp": what is compared with what
	role  role
	sizes []int
	needs []string // executables
	// run measures the given sizes once, pinned to cores.
	run func(ctx context.Context, cores [2]int, sizes []int) ([]point, error)
}

// String returns the name for messages.
func (p program) String() string { return p.name + " over " + p.group }

// A role is the part of a program in the comparison.
type role int

const (
	subject role = iota // gobench at level device
	raw                 // gobench below the protocol
	mpi                 // a rival
	bare                // no message passing at all: what the machine allows
)

var (
	sharedSizes = []int{0, 8, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 1 << 20, 4 << 20}
	tcpSizes    = []int{8, 1 << 10, 64 << 10, 1 << 20, 4 << 20}
)

func sizeList(sizes []int) string { return numberList(sizes) }

func numberList(numbers []int) string {
	text := make([]string, len(numbers))
	for i, n := range numbers {
		text[i] = strconv.Itoa(n)
	}
	return strings.Join(text, ",")
}

func coreList(cores [2]int) string { return numberList(cores[:]) }

// sharedLine returns the lower bound of all latencies: 8 bytes that change cores together with
// their cache line.
func sharedLine(s settings, name, group string) program {
	run := func(ctx context.Context, cores [2]int, sizes []int) ([]point, error) {
		d, err := distance(ctx, s, cores)
		return []point{{size: 8, halfRTT: d, before: d, after: d}}, err
	}
	return program{name, group, bare, []int{8}, nil, run}
}

// cProgram returns one of our C programs that need no launcher.
func cProgram(s settings, name, group string, role role, sizes []int, file, mode string) program {
	run := func(ctx context.Context, cores [2]int, sizes []int) ([]point, error) {
		out, err := command(ctx, []string{"PEERS_CORES=" + coreList(cores)},
			filepath.Join(s.c, file), mode, s.plan.sizes(group, sizes))
		if err != nil {
			return nil, err
		}
		return readPoints(out)
	}
	return program{name, group, role, sizes, []string{filepath.Join(s.c, file)}, run}
}
