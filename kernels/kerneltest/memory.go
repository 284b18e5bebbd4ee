package kerneltest

import (
	"math"
	"runtime"
	"testing"

	"gobench/kernels/application"
	"gobench/kernels/npb"
)

// Fits wants an instance on one rank to keep what the kernel says that it needs, or
// less, and not much more than what it keeps to be said.
func Fits(t *testing.T, k *npb.Kernel, class npb.Class) {
	t.Helper()
	Run(t, Shared, 1, 1, func(r *application.Rank) error {
		before := settled()
		instance, err := k.New(r, class)
		if err != nil {
			return err
		}
		if _, err := instance.Run(); err != nil {
			return err
		}
		keeps, says := settled()-before, float64(k.Memory(class, 1, 1))
		runtime.KeepAlive(instance)
		if keeps > 1.1*says || keeps < 0.5*says {
			t.Errorf("%s class %v keeps %.1f MB, and says %.1f MB", k.Name, class, keeps/1e6, says/1e6)
		}
		return nil
	})
}

// settled returns the bytes of the heap once collections find nothing more: what had
// a finalizer, or lay in a pool, takes two of them, and ranks of the test before may
// not have ended when this one begins.
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
