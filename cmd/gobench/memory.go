package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// readerHeap is the heap up to which verbs that read records collect no memory, in bytes: 100,000
// records and what is made of them fit into 400 MiB.
const readerHeap = 260 << 20

// leastGC is the lowest GOGC of these verbs. They keep most of what they allocate, so a low value
// halves the memory of larger files and costs little time.
const leastGC = 25

// setReaderGC sets the garbage collector for verbs that read records, anew after each collection.
func setReaderGC() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	kept := max(live[0].Value.Uint64(), 4<<20) // the runtime assumes as much before the first collection
	percent := leastGC
	if kept < readerHeap {
		percent = max(percent, int(100*(readerHeap-kept)/kept))
	}
	debug.SetGCPercent(percent)
	type sentinel struct{ _ *int } // no tiny object, which others would keep
	runtime.AddCleanup(&sentinel{}, func(struct{}) { setReaderGC() }, struct{}{})
}
