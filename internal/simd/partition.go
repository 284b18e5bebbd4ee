package simd

// Parts is the number of parts of a Partition.
const Parts = 4

// PartitionSlack is the number of elements after the end of each part that a Partition may
// overwrite. Adjacent parts must be that far apart.
const PartitionSlack = 8

// A Partition distributes keys to parts and keeps their order: keys below bounds[0] go to part 0,
// others below bounds[1] to part 1 and so on, the rest to
// the last. Bounds are in ascending order; between equal ones the part is empty.
// Keys of part j are written from out[heads[j]] on, and heads[j] is advanced past them.
// PartitionSlack elements from there on must be inside of out and are
// overwritten. out must not overlap keys.
type Partition func(out, keys []int32, bounds *[Parts - 1]int32, heads *[Parts]int)

// plainPartition finds the part of a key as the number of bounds that are not above it, without
// branches.
func plainPartition(out, keys []int32, bounds *[Parts - 1]int32, heads *[Parts]int) {
	b0, b1, b2 := int64(bounds[0]), int64(bounds[1]), int64(bounds[2])
	for _, key := range keys {
		k := int64(key)
		below := uint64(k-b0)>>63 + uint64(k-b1)>>63 + uint64(k-b2)>>63
		head := &heads[(Parts-1-below)%Parts]
		out[*head] = key
		*head++
	}
}

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
