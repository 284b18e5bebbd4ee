package kerneltest

import (
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"testing"

	"gobench/kernels/application"
	"gobench/kernels/npb"
)

// Mutants checks that class S of a kernel passes verification on the given number of ranks and that
// every mutant fails it. Each function of mutants makes a copy of the kernel wrong. A run that ends
// with an error counts as a failed verification.
func Mutants(t *testing.T, k *npb.Kernel, ranks int, mutants map[string]func(k *npb.Kernel)) {
	t.Helper()
	if verified, err := verified(k, ranks); !verified || err != nil {
		t.Fatalf("%s on %d ranks is verified without mutation: %t (%v)", k.Name, ranks, verified, err)
	}
	for _, name := range slices.Sorted(maps.Keys(mutants)) {
		mutant := *k
		mutants[name](&mutant)
		if verified, _ := verified(&mutant, ranks); verified {
			t.Errorf("%s on %d ranks is verified with the mutant %q", k.Name, ranks, name)
		}
	}
}

// Plant returns a mutation that changes each instance on its rank, before it runs.
func Plant[T npb.Instance](change func(rank int, instance T)) func(k *npb.Kernel) {
	return func(k *npb.Kernel) {
		create := k.New
		k.New = func(r *application.Rank, class npb.Class) (npb.Instance, error) {
			instance, err := create(r, class)
			if err != nil {
				return nil, err
			}
			own, ok := instance.(T)
			if !ok {
				return nil, fmt.Errorf("%s is a %T", k.Name, instance)
			}
			change(r.Comm.Rank(), own)
			return instance, nil
		}
	}
}

// verified runs class S of a kernel and reports whether it is verified.
func verified(k *npb.Kernel, ranks int) (bool, error) {
	var right atomic.Bool
	err := Try(Shared, ranks, 1, func(r *application.Rank) error {
		instance, err := k.New(r, npb.S)
		if err != nil {
			return err
		}
		o, err := npb.Run(r, k, npb.S, instance)
		if r.Comm.Rank() == 0 {
			right.Store(o.Verified)
		}
		return err
	})
	return right.Load(), err
}
