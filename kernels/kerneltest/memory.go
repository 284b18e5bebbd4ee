package kerneltest

import (
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
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		instance, err := k.New(r, class)
		if err != nil {
			return err
		}
		if _, err := instance.Run(); err != nil {
			return err
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		runtime.KeepAlive(instance)
		keeps, says := float64(after.HeapAlloc-before.HeapAlloc), float64(k.Memory(class, 1, 1))
		if keeps > 1.1*says || keeps < 0.5*says {
			t.Errorf("%s class %v keeps %.1f MB, and says %.1f MB", k.Name, class, keeps/1e6, says/1e6)
		}
		return nil
	})
}
