//go:build verbs && cgo

package verbs

import (
	"context"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"gobench/device"
	"gobench/device/protocol"
	"gobench/internal/allocs"
)

// alone is the job of one rank.
type alone struct{}

func (alone) Rank() int      { return 0 }
func (alone) Size() int      { return 1 }
func (alone) LocalSize() int { return 1 }
func (alone) Hosts() []int   { return []int{0} }
func (alone) Exchange(_ context.Context, blob []byte) ([][]byte, error) {
	return [][]byte{blob}, nil
}

func openAlone(t *testing.T, set map[string]string) *wire {
	t.Helper()
	opts, err := device.ParseOptions(driver{}.Options(), set)
	if err != nil {
		t.Fatal(err)
	}
	w, _, err := openWire(context.Background(), alone{}, opts, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.abandon)
	return w
}

func mapped(t *testing.T, n int) []byte {
	t.Helper()
	b, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func use(t *testing.T, w *wire, b []byte) protocol.Key {
	t.Helper()
	k, err := w.Register(b)
	if err != nil {
		t.Fatal(err)
	}
	w.Deregister(k)
	return k
}

func TestRegistrationIsKept(t *testing.T) {
	w := openAlone(t, nil)
	b := mapped(t, 1<<20)
	defer unix.Munmap(b)
	first := use(t, w, b)
	part := use(t, w, b[5000:9000])
	if c := w.memory.cache; c.misses != 1 || c.hits != 1 {
		t.Errorf("%d hits and %d misses, want 1 and 1", c.hits, c.misses)
	}
	if keyRemote(first, 0) != keyRemote(part, 0) {
		t.Error("a part of a registered buffer has another key")
	}
	if n := allocs.Count(100, func() { use(t, w, b) }); n != 0 {
		t.Errorf("a hit allocates %v times", n)
	}
}

// Memory that is unmapped, or thrown away by madvise as Go's runtime does, gets other pages when it
// is used again, and must be registered anew.
func TestRegistrationEndsWithThePages(t *testing.T) {
	for name, end := range map[string]func(t *testing.T, b []byte){
		"munmap and mmap at the same address": func(t *testing.T, b []byte) {
			at := unsafe.Pointer(&b[0])
			if err := unix.MunmapPtr(at, uintptr(len(b))); err != nil {
				t.Fatal(err)
			}
			again, err := unix.MmapPtr(-1, 0, at, uintptr(len(b)), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_FIXED)
			if err != nil || again != at {
				t.Fatalf("mapping again: %v", err)
			}
		},
		"madvise": func(t *testing.T, b []byte) {
			if err := unix.Madvise(b, unix.MADV_DONTNEED); err != nil {
				t.Fatal(err)
			}
		},
		"a part of it": func(t *testing.T, b []byte) {
			if err := unix.Madvise(b[1<<19:1<<19+4096], unix.MADV_DONTNEED); err != nil {
				t.Fatal(err)
			}
		},
		"mremap": func(t *testing.T, b []byte) {
			moved, err := unix.MremapPtr(unsafe.Pointer(&b[0]), uintptr(len(b)), nil, uintptr(len(b)), unix.MREMAP_MAYMOVE|unix.MREMAP_DONTUNMAP)
			if err != nil {
				t.Fatal(err)
			}
			unix.MunmapPtr(moved, uintptr(len(b)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := openAlone(t, nil)
			b := mapped(t, 1<<20)
			use(t, w, b)
			end(t, b)
			use(t, w, b)
			if c := w.memory.cache; c.misses != 2 || c.dropped != 1 {
				t.Errorf("%d misses and %d dropped, want 2 and 1", c.misses, c.dropped)
			}
			if len(w.memory.cache.regions) != 1 {
				t.Errorf("%d regions are cached, want 1", len(w.memory.cache.regions))
			}
		})
	}
}

// What the garbage collector has freed and given back to the system is registered anew when its
// addresses come back into use.
func TestRegistrationEndsWithGarbage(t *testing.T) {
	w := openAlone(t, nil)
	for range 8 {
		use(t, w, make([]byte, 4<<20))
	}
	runtime.GC()
	debug.FreeOSMemory()
	if !w.memory.cache.watch.Changed() {
		t.Fatal("memory was given back to the system, but the cache has not heard of it")
	}
	use(t, w, make([]byte, 1<<20))
	if w.memory.cache.dropped == 0 {
		t.Error("nothing was dropped")
	}
}

// A transfer keeps its registration although the cache has dropped it, and it ends with the
// transfer.
func TestRegistrationInUseIsLeftAlone(t *testing.T) {
	w := openAlone(t, nil)
	b := mapped(t, 1<<20)
	defer unix.Munmap(b)
	k, err := w.Register(b)
	if err != nil {
		t.Fatal(err)
	}
	r := w.memory.at(keyHandle(k))
	unix.Madvise(b, unix.MADV_DONTNEED)
	use(t, w, b)
	if r.cached || r.n == 0 {
		t.Errorf("the region of a transfer is cached (%v) or registered no more (%d rails)", r.cached, r.n)
	}
	w.Deregister(k)
	if r.n != 0 {
		t.Error("the region is still registered after its transfer")
	}
}

func TestCacheIsBounded(t *testing.T) {
	w := openAlone(t, map[string]string{"reg_cache": "1MiB"})
	var all [][]byte
	for range 8 {
		b := mapped(t, 256<<10)
		defer unix.Munmap(b)
		all = append(all, b)
		use(t, w, b)
	}
	c := &w.memory.cache
	if c.bytes > 1<<20 || len(c.regions) != 4 {
		t.Errorf("the cache holds %d bytes in %d regions, want 1 MiB in 4", c.bytes, len(c.regions))
	}
	if !slices.ContainsFunc(c.regions, func(r *region) bool { return r.start == address(all[7]) }) {
		t.Error("the newest region is not in the cache")
	}
	use(t, w, mapped(t, 2<<20)) // larger than all of the cache
	if c.bytes > 1<<20 {
		t.Error("a buffer larger than the cache was kept")
	}
}

func TestCacheOff(t *testing.T) {
	w := openAlone(t, map[string]string{"reg_cache": "0"})
	b := mapped(t, 1<<20)
	defer unix.Munmap(b)
	use(t, w, b)
	if w.memory.cache.watch != nil || w.memory.table[0] != nil {
		t.Error("a registration was kept although the cache is off")
	}
}
