package devicetest

import (
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"

	"gobench/device"
	"gobench/internal/race"
)

func allocRules() []rule {
	return []rule{{name: "no allocation", ranks: []int{2}, run: noAllocation}}
}

// noAllocation checks that operations in steady state do not allocate on the heap. If both ranks
// are goroutines of one process, the allocations of both count.
func noAllocation(r *rank) {
	e := r.eagerLimit()
	own, err := r.Alloc(1 << 20)
	r.must(err, "alloc")
	plain := make([]byte, 1<<20)
	peer := 1 - r.Rank()
	for _, n := range []int{0, 8, 1024, e, e + 1, 64 << 10, 1 << 20} {
		for ranks := range 3 { // the ranks that use the device's own memory: none, the first, both
			b := plain[:n]
			if r.Rank() < ranks {
				b = own[:n]
			}
			r.measure(fmt.Sprintf("ping-pong of %d bytes, own memory of %d ranks", n, ranks), n, func() {
				if r.Rank() == 0 {
					r.bare.Send(b, peer, 1, 0)
					r.bare.Recv(b, peer, 1, 0)
				} else {
					r.bare.Recv(b, peer, 1, 0)
					r.bare.Send(b, peer, 1, 0)
				}
			})
		}
	}
	out, ins := plain[:512<<10], make([]byte, 8*(e+1))
	var open [16]device.Request
	for _, n := range []int{8, min(e+1, len(out))} {
		r.measure(fmt.Sprintf("8 non-blocking exchanges of %d bytes", n), 8*n, func() {
			for i := range 8 {
				open[i], _ = r.bare.Irecv(ins[i*n:(i+1)*n], peer, 1, 0)
			}
			for i := range 8 {
				open[8+i], _ = r.bare.Isend(out[:n], peer, 1, 0)
			}
			for range open {
				q, _ := r.bare.Peek()
				r.bare.Test(q)
			}
		})
		r.measure(fmt.Sprintf("synchronous, unexpected and probed messages of %d bytes", n), n, func() {
			if r.Rank() == 0 {
				q, _ := r.bare.Issend(out[:n], peer, 1, 0)
				r.bare.Send(out[:8], peer, 2, 0)
				r.bare.Wait(q)
				r.bare.Recv(ins[:8], peer, 3, 0)
			} else {
				r.bare.Recv(ins[:8], peer, 2, 0)
				st, _ := r.bare.Probe(device.AnySource, device.AnyTag, 0)
				r.bare.Iprobe(st.Source, st.Tag, 0)
				r.bare.Recv(ins[:n], st.Source, st.Tag, 0)
				r.bare.Send(out[:8], peer, 3, 0)
			}
		})
	}
	r.must(r.Free(own), "free")
}

// measure fails if op allocates. Both ranks repeat op, which moves size bytes in each direction.
// One round of twenty without an allocation passes, because the Go runtime itself allocates now and
// then, for example when it starts a thread. A round has one op before and one after those that it
// counts. An op of one rank ends only after the other rank has begun the same op, so that the
// other rank, if it is in the same process, is inside op, too, while this one counts.
func (r *rank) measure(what string, size int, op func()) {
	counted := min(100, max(8, 1<<20/max(size, 1)))
	if race.Enabled {
		counted = max(4, counted/5)
	}
	for range counted {
		op()
	}
	if race.Enabled { // it allocates for itself, and has seen the operations
		return
	}
	fewest := math.MaxInt
	var before, after runtime.MemStats
	runtime.ReadMemStats(&after) // both variables are on the heap from here on
	none := false                // on both ranks
	for round := 0; round < 20 && !none; round++ {
		r.sync()
		op()
		runtime.ReadMemStats(&before)
		for range counted {
			op()
		}
		runtime.ReadMemStats(&after)
		op()
		fewest = min(fewest, int(after.Mallocs-before.Mallocs))
		none = r.agreed(fewest == 0)
	}
	r.sync()
	if none {
		return
	}
	caller := r.allocates(counted, op)
	if fewest != 0 {
		r.fail("%s: at least %d allocations in %d rounds, want none; most of them in %s", what, fewest, counted, caller)
	}
}

// allocates repeats op, as the other rank does, and returns the function with the most allocations
// and its caller in this module, with their lines.
func (r *rank) allocates(rounds int, op func()) string {
	profiling.begin()
	defer profiling.end()
	r.sync()
	before := r.allocations()
	r.sync()
	for range rounds {
		op()
	}
	r.sync()
	caller, largest := "an unknown caller", int64(0)
	for stack, n := range r.allocations() {
		if n -= before[stack]; n > largest && stack != "" {
			caller, largest = stack, n
		}
	}
	r.sync()
	return caller
}

// profiling lets the memory profile count all allocations while a rank looks for one; ranks that
// are goroutines share the rate.
var profiling profiler

type profiler struct {
	sync.Mutex
	ranks, rate int
}

func (p *profiler) begin() {
	p.Lock()
	defer p.Unlock()
	if p.ranks++; p.ranks == 1 {
		p.rate, runtime.MemProfileRate = runtime.MemProfileRate, 1
	}
}

func (p *profiler) end() {
	p.Lock()
	defer p.Unlock()
	if p.ranks--; p.ranks == 0 {
		runtime.MemProfileRate = p.rate
	}
}

// allocations returns the number of allocations of this process by their callers, as callerOf
// names them.
func (r *rank) allocations() map[string]int64 {
	runtime.GC()
	runtime.GC() // a profile shows the state at the collection before the last
	var profile []runtime.MemProfileRecord
	for n, ok := 0, false; !ok; {
		profile = make([]runtime.MemProfileRecord, n+100)
		n, ok = runtime.MemProfile(profile, true)
		profile = profile[:min(n, len(profile))]
	}
	found := map[string]int64{}
	for _, p := range profile {
		found[callerOf(p.Stack())] += p.AllocObjects
	}
	return found
}

// module is the beginning of the names of all functions of this module.
var module = strings.TrimSuffix(reflect.TypeFor[Subject]().PkgPath(), "device/devicetest")

// callerOf returns the innermost function of a stack that is not of the runtime, and the innermost
// of this module if that is another. It returns "" for a stack without one of them, and for
// allocations of allocations itself.
func callerOf(stack []uintptr) string {
	frames := runtime.CallersFrames(stack)
	inner := ""
	for {
		f, more := frames.Next()
		caller := fmt.Sprintf("%s (%s:%d)", f.Function, filepath.Base(f.File), f.Line)
		switch {
		case strings.HasSuffix(f.Function, ".callerOf"), strings.HasSuffix(f.Function, ".(*rank).allocations"):
			return ""
		case strings.HasPrefix(f.Function, "runtime."), f.Function == "":
		case strings.HasPrefix(f.Function, module):
			if inner != "" {
				return inner + ", called by " + caller
			}
			return caller
		case inner == "":
			inner = caller
		}
		if !more {
			return ""
		}
	}
}
