package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
)

// A coreDistance is the latency between two cores: half of the round trip of a cache line, in
// seconds.
type coreDistance struct {
	cores    [2]int
	distance float64
}

// distances measures all pairs of the given cores with the C program line.
func distances(ctx context.Context, program string, cores []int) ([]coreDistance, error) {
	out, err := command(ctx, nil, program, numberList(cores))
	if err != nil {
		return nil, fmt.Errorf("cannot measure the distance of cores: %w", err)
	}
	var all []coreDistance
	for row := range strings.Lines(out) {
		f, err := fields(row, "pair")
		if err != nil {
			return nil, err
		}
		all = append(all, coreDistance{[2]int{int(f["a"]), int(f["b"])}, f["half_rtt_s"]})
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s measured no pair of the cores %v", program, cores)
	}
	return all, nil
}

// distance measures one pair of cores.
func distance(ctx context.Context, s settings, cores [2]int) (float64, error) {
	all, err := distances(ctx, filepath.Join(s.c, "line"), cores[:])
	if err != nil {
		return 0, err
	}
	return all[0].distance, nil
}
