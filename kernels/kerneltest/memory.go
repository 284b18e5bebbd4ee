package kerneltest

import (
	"math"
	"runtime"
	"testing"
	"time"

	"gobench/kernels/application"
	"gobench/kernels/npb"
)

// Fits checks that an instance on one rank keeps at most the memory that k.Memory returns, and not
// much less.
func Fits(t *testing.T, k *npb.Kernel, class npb.Class) {
	t.Helper()
	alone := runtime.NumGoroutine()
	Run(t, Shared, 1, 1, func(r *application.Rank) error {
		instance, err := k.New(r, class)
		if err != nil {
			return err
		}
		if _, err := instance.Run(); err != nil {
			return err
		}
		// What is left of earlier tests has gone by now, so that only the instance is in the difference.
		with := settled()
		runtime.KeepAlive(instance)
		instance = nil
		keeps, says := with-settled(), float64(k.Memory(class, 1, 1))
		if keeps > 1.1*says || keeps < 0.5*says {
			t.Errorf("%s class %v keeps %.1f MB, and says %.1f MB", k.Name, class, keeps/1e6, says/1e6)
		}
		return nil
	})
	// What ranks and threads have started may still be ending, and keeps the instance until then, which the
	// next call would see.
	for until := time.Now().Add(patience); runtime.NumGoroutine() > alone; runtime.Gosched() {
		if time.Now().After(until) {
			t.Fatalf("%d goroutines are left, %d were there before", runtime.NumGoroutine(), alone)
		}
	}
}

// settled returns the bytes of the heap after repeated collections. Objects with finalizers or in a
// pool take two collections.
func settled() float64 {
	least := math.Inf(1)
	for {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		if heap := float64(m.HeapAlloc); heap > 0.999*least {
			return heap
		} else {
			least = heap
		}
	}
}
