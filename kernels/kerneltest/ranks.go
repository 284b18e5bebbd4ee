// Package kerneltest runs applications in tests: ranks as goroutines over a
// transport, with threads each.
package kerneltest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"gobench/bench/team"
	"gobench/comm"
	"gobench/device"
	"gobench/device/devicetest/memwire"
	"gobench/internal/simd"
	"gobench/kernels/application"
	"gobench/launch"
	"gobench/transports/smem"
)

// Transports of Run: Memory is a wire in process memory that guarantees only what its contract
// requires, Shared is package smem.
const (
	Memory = "memwire"
	Shared = smem.Name
)

// timeout is the time limit of a run in a test.
const timeout = 5 * time.Minute

// Run runs f on the given number of ranks and threads of each. The first error fails the test. The
// test is skipped if the environment selects vector instructions that this machine lacks.
func Run(t testing.TB, transport string, ranks, threads int, f func(r *application.Rank) error) {
	t.Helper()
	if err := simd.Check(); err != nil {
		if lacks, ok := errors.AsType[*simd.LevelError](err); ok && lacks.Known {
			t.Skip(err)
		}
		t.Fatal(err)
	}
	if err := Try(transport, ranks, threads, f); err != nil {
		t.Fatalf("%s, %d ranks of %d threads: %v", transport, ranks, threads, err)
	}
}

// Try is like Run but returns the first error.
func Try(transport string, ranks, threads int, f func(r *application.Rank) error) error {
	var driver device.Driver = &memwire.Driver{Hostility: memwire.Hostility{Seed: 1, Queue: 64, Packet: 4096, EagerLimit: 8192}}
	if transport != Memory {
		var err error
		if driver, err = device.Lookup(transport); err != nil {
			return err
		}
	}
	return try(driver, ranks, threads, f)
}

// try runs f on ranks over a driver and returns the first error.
func try(driver device.Driver, ranks, threads int, f func(r *application.Rank) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	var once sync.Once
	var first error
	err := launch.Goroutines(ctx, ranks, func(ctx context.Context, job device.Job) error {
		err := comm.Run(ctx, driver, job, comm.Options{}, func(world *comm.Comm) error {
			team, err := team.New(threads, nil)
			if err != nil {
				return err
			}
			defer team.Close()
			rank := application.NewRank(ctx, world, team)
			if err := f(rank); err != nil {
				return err
			}
			if err := rank.Close(); err != nil {
				return err
			}
			if n := world.Open(); n != 1 {
				return fmt.Errorf("the program leaves %d communicators open", n-1)
			}
			return nil
		})
		if err != nil {
			once.Do(func() { first = fmt.Errorf("rank %d: %w", job.Rank(), err) })
		}
		return err
	})
	return cmp.Or(first, err)
}
