package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// readerMemory is the memory of the Go runtime up to which verbs that read records collect nothing,
// in bytes: 100,000 records and what is made of them fit into 400 MiB, with the program itself.
const readerMemory = 315 << 20

// readerGrowth is the memory of these verbs as a multiple of what they use, where that is more.
// They keep most of what they allocate, so a small multiple saves memory and costs little time.
const readerGrowth = 1.4

// setReaderGC sets the garbage collector for verbs that read records, anew after each collection. It
// sets a limit in bytes: the percentage that allows readerMemory while little is in use would allow
// many times that once much is, until the cleanup below runs, which may be long after a collection.
func setReaderGC() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	debug.SetMemoryLimit(max(readerMemory, int64(readerGrowth*float64(live[0].Value.Uint64()))))
	debug.SetGCPercent(-1)
	type sentinel struct{ _ *int } // no tiny object, which others would keep
	runtime.AddCleanup(&sentinel{}, func(struct{}) { setReaderGC() }, struct{}{})
}
