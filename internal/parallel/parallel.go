// Package parallel does independent things at once.
package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// For calls do(0) to do(n-1), on as many processors as there are, and returns when
// all have returned. What they write must not be shared; results are in order where each
// goes to a place of its own.
func For(n int, do func(i int)) {
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
