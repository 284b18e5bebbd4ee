//go:build cgo && (verbs || ucx || ofi || gni)

package registration

import (
	"errors"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"gobench/internal/allocs"
)

// network counts registrations.
type network struct{ registered int }

// opened returns a table with a cache of most bytes.
func opened(t *testing.T, limit int) (*Table[int], *network) {
	t.Helper()
	n := new(network)
	serial := 0
	w := New(func(start, end uintptr) (int, error) {
		if start >= end {
			return 0, errors.New("an empty range")
		}
		n.registered++
		serial++
		return serial, nil
	}, func(m *int) {
		n.registered--
		*m = 0
	})
	if err := w.Keep(limit); err != nil {
		t.Skip("this kernel does not report unmapped memory (userfaultfd): " + err.Error())
	}
	if limit != 0 && w.cache.watch == nil {
		t.Skip("this kernel does not report unmapped memory (userfaultfd)")
	}
	t.Cleanup(w.Close)
	return w, n
}

func mapped(t *testing.T, n int) []byte {
	t.Helper()
	b, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func use(t *testing.T, w *Table[int], b []byte) int {
	t.Helper()
	r, err := w.Take(b)
	if err != nil {
		t.Fatal(err)
	}
	memory := r.Memory
	w.Release(r.Handle)
	return memory
}

func TestRegistrationIsKept(t *testing.T) {
	w, _ := opened(t, -1)
	b := mapped(t, 1<<20)
	defer unix.Munmap(b)
	first := use(t, w, b)
	part := use(t, w, b[5000:9000])
	if c := w.cache; c.misses != 1 || c.hits != 1 {
		t.Errorf("%d hits and %d misses, want 1 and 1", c.hits, c.misses)
	}
	if first != part {
		t.Error("a part of a registered buffer has another registration")
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
			w, _ := opened(t, -1)
			b := mapped(t, 1<<20)
			use(t, w, b)
			end(t, b)
			use(t, w, b)
			if c := w.cache; c.misses != 2 || c.dropped != 1 {
				t.Errorf("%d misses and %d dropped, want 2 and 1", c.misses, c.dropped)
			}
			if len(w.cache.regions) != 1 {
				t.Errorf("%d regions are cached, want 1", len(w.cache.regions))
			}
		})
	}
}

// What the garbage collector has freed and given back to the system is registered anew when its
// addresses come back into use.
func TestRegistrationEndsWithGarbage(t *testing.T) {
	w, _ := opened(t, -1)
	for range 8 {
		use(t, w, make([]byte, 4<<20))
	}
	runtime.GC()
	debug.FreeOSMemory()
	if !w.cache.watch.Changed() {
		t.Fatal("memory was given back to the system, but the cache has not heard of it")
	}
	use(t, w, make([]byte, 1<<20))
	if w.cache.dropped == 0 {
		t.Error("nothing was dropped")
	}
}

// A transfer keeps its registration although the cache has dropped it, and it ends with the
// transfer.
func TestRegistrationInUseIsLeftAlone(t *testing.T) {
	w, _ := opened(t, -1)
	b := mapped(t, 1<<20)
	defer unix.Munmap(b)
	r, err := w.Take(b)
	if err != nil {
		t.Fatal(err)
	}
	unix.Madvise(b, unix.MADV_DONTNEED)
	use(t, w, b)
	if r.cached || r.Memory == 0 {
		t.Errorf("the region of a transfer is cached (%v) or registered no more (%d)", r.cached, r.Memory)
	}
	w.Release(r.Handle)
	if r.Memory != 0 {
		t.Error("the region is still registered after its transfer")
	}
}

func TestCacheIsBounded(t *testing.T) {
	w, n := opened(t, 1<<20)
	var all [][]byte
	for range 8 {
		b := mapped(t, 256<<10)
		defer unix.Munmap(b)
		all = append(all, b)
		use(t, w, b)
	}
	c := &w.cache
	if c.bytes > 1<<20 || len(c.regions) != 4 {
		t.Errorf("the cache holds %d bytes in %d regions, want 1 MiB in 4", c.bytes, len(c.regions))
	}
	if !slices.ContainsFunc(c.regions, func(r *Region[int]) bool { return r.Start == Address(all[7]) }) {
		t.Error("the newest region is not in the cache")
	}
	use(t, w, mapped(t, 2<<20)) // larger than all of the cache
	if c.bytes > 1<<20 {
		t.Error("a buffer larger than the cache was kept")
	}
	if n.registered != len(c.regions) {
		t.Errorf("%d registrations for %d cached regions", n.registered, len(c.regions))
	}
}

func TestCacheOff(t *testing.T) {
	w, n := opened(t, 0)
	b := mapped(t, 1<<20)
	defer unix.Munmap(b)
	use(t, w, b)
	if w.cache.watch != nil || n.registered != 0 {
		t.Error("a registration was kept although the cache is off")
	}
}
