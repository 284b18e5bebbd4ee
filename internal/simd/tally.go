package simd

// A Tally adds 1 to counts[k-lo] for each key k. Keys whose counts are outside of counts are
// ignored.
type Tally func(counts []uint32, keys []int32, lo int32)

func plainTally(counts []uint32, keys []int32, lo int32) {
	n := uint(len(counts))
	for len(keys) >= 4 {
		k := (*[4]int32)(keys)
		if i := uint(uint32(k[0] - lo)); i < n {
			counts[i]++
		}
		if i := uint(uint32(k[1] - lo)); i < n {
			counts[i]++
		}
		if i := uint(uint32(k[2] - lo)); i < n {
			counts[i]++
		}
		if i := uint(uint32(k[3] - lo)); i < n {
			counts[i]++
		}
		keys = keys[4:]
	}
	for _, k := range keys {
		if i := uint(uint32(k - lo)); i < n {
			counts[i]++
		}
	}
}
