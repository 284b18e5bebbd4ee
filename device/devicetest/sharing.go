package devicetest

import (
	"unsafe"

	"gobench/device"
)

// sharingRules test device.Sharer. A device that does not implement it passes.
func sharingRules() []rule {
	return []rule{
		{name: "imported memory stays", ranks: []int{2}, run: importedMemoryStays},
		{name: "posted data", ranks: []int{2}, run: postedData},
	}
}

// postedData checks that rank 1 fetches what rank 0 has posted to its memory, of several lengths,
// at an aligned and at an odd address there, and that nothing else is written. 3 MiB are more than
// one piece of simd.CopyCached.
func postedData(r *rank) {
	s, ok := r.bare.(device.Sharer)
	if !ok {
		return
	}
	const offset = 61
	lengths := []int{1, 63, 1 << 10, 2<<10 + 1, 64<<10 - 1, 3<<20 + 17}
	limit := lengths[len(lengths)-1] + offset
	var mem []byte
	if r.Rank() == 0 {
		var err error
		mem, err = r.Alloc(limit)
		r.must(err, "alloc")
		name, err := s.Export(mem)
		r.must(err, "export")
		r.send(name, 1, 0, 0)
	} else {
		name := make([]byte, 256)
		st := r.recv(name, 0, 0, 0)
		var err error
		mem, err = s.Import(0, name[:st.Size])
		r.must(err, "import")
	}
	for i, n := range lengths {
		for _, at := range []int{0, offset} {
			if r.Rank() == 0 {
				s.Post(mem[at:], fill(make([]byte, n), uint64(i)))
				r.send(r.token[:1], 1, 1, 0)
				r.recv(r.token[:1], 1, 2, 0)
				continue
			}
			r.recv(r.token[:1], 0, 1, 0)
			g := newGuarded(n)
			s.Fetch(g.buf, mem[at:at+n])
			r.check(g.buf, uint64(i), "fetched data")
			r.intact(g)
			r.send(r.token[:1], 0, 2, 0)
		}
	}
}

// importedMemoryStays checks that memory that rank 1 has imported stays mapped, and does not become
// other memory, after rank 0 has freed it and exported more of the same length and shorter.
func importedMemoryStays(r *rank) {
	s, ok := r.bare.(device.Sharer)
	if !ok {
		return
	}
	lengths := []int{64 << 10, 64 << 10, 4 << 10, 100}
	name := make([]byte, 256)
	var kept [][]byte
	for i, n := range lengths {
		if r.Rank() == 0 {
			mem, err := r.Alloc(n)
			r.must(err, "alloc")
			fill(mem, uint64(i))
			name, err := s.Export(mem)
			r.must(err, "export")
			r.send(name, 1, 0, 0)
			r.recv(r.token[:1], 1, 1, 0)
			r.must(r.Free(mem), "free")
			r.send(r.token[:1], 1, 2, 0)
			continue
		}
		st := r.recv(name, 0, 0, 0)
		mem, err := s.Import(0, name[:st.Size])
		r.must(err, "import")
		if len(mem) != n {
			r.fail("%d bytes were exported, %d imported", n, len(mem))
		}
		for j, old := range kept {
			if from, to := address(old), address(old)+uintptr(len(old)); address(mem) < to && from < address(mem)+uintptr(n) {
				r.fail("import %d lies where import %d still lies", i, j)
			}
			for k := range old { // their content is undefined, but they can be written and read
				old[k]++
			}
		}
		r.check(mem, uint64(i), "imported memory")
		kept = append(kept, mem)
		r.send(r.token[:1], 0, 1, 0)
		r.recv(r.token[:1], 0, 2, 0)
	}
}

// address returns the address of the first byte of b.
func address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }
