package simd

// Parts is the number of parts of a Partition.
const Parts = 4

// PartitionSlack is the number of elements after the end of each part that a Partition may
// overwrite. Adjacent parts must be that far apart.
const PartitionSlack = 8

// Partition puts keys, in their order, where the part is that each belongs to: those
// below bounds[0] to part 0, others below bounds[1] to part 1 and so on, the rest to
// the last. Bounds ascend; those that are equal have an empty part between them.
// Part j begins, or goes on, at out[heads[j]], and heads[j] moves behind its keys.
// PartitionSlack elements from there on must be inside of out, and their contents
// are lost. out must not overlap keys.
type Partition func(out, keys []int32, bounds *[Parts - 1]int32, heads *[Parts]int)

// plainPartition counts the bounds that are not above a key, without branches: that
// is the part.
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
