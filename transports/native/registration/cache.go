//go:build cgo && (verbs || ucx || ofi || gni)

package registration

import (
	"fmt"
	"slices"
)

// A cache keeps memory registered after use, in whole pages, because registering costs more than
// sending most messages (the pin-down cache of ibvdev in the thesis).
//
// A registration pins physical pages and must end when the mapping changes: when memory is
// unmapped, or released by madvise, as Go's runtime does with heap that the garbage collector has
// freed. Freed heap that is reused without that keeps its pages, and its registration stays valid.
// The kernel reports both changes (Watch), and the cache handles the reports before each use. If
// the kernel cannot report them, nothing is cached.
type cache[M any] struct {
	watch   *Watch  // nil: the cache is off
	limit   uintptr // bytes
	bytes   uintptr
	regions []*Region[M] // by start
	clock   uint64

	hits, misses, dropped int
}

// Keep enables the cache with a limit of most bytes. most < 0 means 1 GiB, without an error if the
// kernel cannot report unmapped memory; most == 0 leaves the cache off.
func (m *Table[M]) Keep(limit int) error {
	c := &m.cache
	if limit == 0 {
		return nil
	}
	w, err := OpenWatch()
	if err != nil {
		if limit < 0 {
			return nil
		}
		return fmt.Errorf("memory cannot be watched for being unmapped: %w", err)
	}
	if limit < 0 {
		limit = 1 << 30
	}
	c.watch, c.limit = w, uintptr(limit)
	return nil
}

func (c *cache[M]) close() {
	if c.watch != nil {
		c.watch.Close()
	}
}

// cached returns the registration that contains [start, end), which may be new; nil if the cache is
// off or the memory cannot be watched.
func (m *Table[M]) cached(start, end uintptr) (*Region[M], error) {
	c := &m.cache
	if c.watch == nil {
		return nil, nil
	}
	if c.watch.Changed() {
		m.invalidate()
	}
	c.clock++
	i, _ := slices.BinarySearchFunc(c.regions, start, func(r *Region[M], start uintptr) int {
		if r.Start <= start {
			return -1
		}
		return 1
	})
	// Ranges may overlap: the one that holds all of it need not be the last that starts before.
	for j := i - 1; j >= 0 && j >= i-overlaps; j-- {
		if r := c.regions[j]; end <= r.End {
			r.used = c.clock
			c.hits++
			return r, nil
		}
	}
	c.misses++
	page := PageSize()
	start, end = start&^(page-1), (end+page-1)&^(page-1)
	// It is watched before it is registered, so that no change in between is missed.
	if c.watch.Add(start, end) != nil || end-start > c.limit {
		return nil, nil
	}
	m.makeRoom(end - start)
	r, err := m.add(start, end)
	if err != nil && m.makeRoom(c.limit) { // the limit of locked memory may be exhausted
		r, err = m.add(start, end)
	}
	if err != nil {
		return nil, err
	}
	r.cached, r.used = true, c.clock
	i, _ = slices.BinarySearchFunc(c.regions, r, func(a, b *Region[M]) int {
		if a.Start <= b.Start {
			return -1
		}
		return 1
	})
	c.regions = slices.Insert(c.regions, i, r)
	c.bytes += end - start
	return r, nil
}

// overlaps bounds the search among ranges that overlap.
const overlaps = 8

// makeRoom drops the least recently used regions until n bytes more are allowed. It reports whether
// it dropped something.
func (m *Table[M]) makeRoom(n uintptr) (dropped bool) {
	c := &m.cache
	for c.bytes+n > c.limit {
		oldest := -1
		for i, r := range c.regions {
			if r.users == 0 && (oldest < 0 || r.used < c.regions[oldest].used) {
				oldest = i
			}
		}
		if oldest < 0 {
			break
		}
		m.evict(oldest)
		dropped = true
	}
	return dropped
}

// evict removes a region from the cache. Its registration ends with the last transfer that uses it.
func (m *Table[M]) evict(i int) {
	c := &m.cache
	r := c.regions[i]
	c.regions = slices.Delete(c.regions, i, i+1)
	c.bytes -= r.End - r.Start
	c.dropped++
	r.cached = false
	if r.users == 0 {
		m.deregister(r)
	}
}

// invalidate drops regions that have been unmapped or released.
func (m *Table[M]) invalidate() {
	gone, ok := m.cache.watch.Take()
	for i := len(m.cache.regions) - 1; i >= 0; i-- {
		r := m.cache.regions[i]
		if !ok || slices.ContainsFunc(gone, func(g Range) bool { return g.Start < r.End && r.Start < g.End }) {
			m.evict(i)
		}
	}
}
