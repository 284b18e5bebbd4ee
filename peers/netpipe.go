package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// netPIPE returns NPtcp, which blocks in the kernel and reports the best of its trials instead of
// the median. It does not measure the distance of cores, so that is measured around the whole run.
func netPIPE(s settings, name, group string, sizes []int) program {
	run := func(ctx context.Context, cores [2]int, sizes []int) ([]point, error) {
		folder, err := os.MkdirTemp("", "peers")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(folder)
		file := filepath.Join(folder, "np.out")
		before, err := distance(ctx, s, cores)
		if err != nil {
			return nil, err
		}
		if err := runNetPIPE(ctx, cores, sizes, file); err != nil {
			return nil, err
		}
		after, err := distance(ctx, s, cores)
		if err != nil {
			return nil, err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		return readNetPIPE(string(text), sizes, before, after)
	}
	return program{name, group, bare, sizes, []string{"NPtcp", "taskset"}, run}
}

// runNetPIPE starts both sides on a port that was free before.
func runNetPIPE(ctx context.Context, cores [2]int, sizes []int, file string) error {
	probe, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return err
	}
	port := strconv.Itoa(probe.Addr().(*net.TCPAddr).Port)
	probe.Close()

	ctx, cancel := context.WithTimeout(ctx, programTime)
	defer cancel()
	common := []string{"-P", port, "-p", "0", "-n", "30",
		"-l", strconv.Itoa(slices.Min(sizes)), "-u", strconv.Itoa(slices.Max(sizes)), "-o", file}
	side := func(core int, more ...string) []string {
		args := append([]string{"taskset", "-c", strconv.Itoa(core), "NPtcp"}, common...)
		return append(args, more...)
	}
	receiver := prepare(ctx, nil, side(cores[1])...)
	if err := receiver.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- receiver.Wait() }()
	// NPtcp exits if nobody listens yet, so the transmitter is started repeatedly.
	for range 50 {
		time.Sleep(20 * time.Millisecond)
		if _, err = command(ctx, nil, side(cores[0], "-h", "127.0.0.1")...); err == nil || ctx.Err() != nil {
			break
		}
	}
	if err != nil {
		cancel()
	}
	<-ended
	return err
}

// readNetPIPE parses rows of size, Mbit/s, seconds.
func readNetPIPE(text string, sizes []int, before, after float64) ([]point, error) {
	var points []point
	for row := range strings.Lines(text) {
		var size int
		var mbps, seconds float64
		if _, err := fmt.Sscan(row, &size, &mbps, &seconds); err != nil {
			return nil, fmt.Errorf("NetPIPE wrote %q, want size, Mbit/s and seconds", row)
		}
		if slices.Contains(sizes, size) {
			points = append(points, point{size: size, halfRTT: seconds, before: before, after: after})
		}
	}
	return points, nil
}
