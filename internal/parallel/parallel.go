// Package parallel runs independent tasks concurrently.
package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// For calls do(0) to do(n-1) on all processors and returns when all calls have returned. The calls
// must not write to shared memory without synchronization.
func For(n int, do func(i int)) {
	if n == 1 {
		do(0)
		return
	}
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		group.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				do(i)
			}
		})
	}
	group.Wait()
}
