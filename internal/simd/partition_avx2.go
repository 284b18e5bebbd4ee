//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

package simd

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

// packing has, for each set of lanes of a vector, the permutation that brings these
// lanes to the front in their order.
var packing = func() (table [256][8]uint32) {
	for set := range table {
		n := 0
		for lane := range 8 {
			if set>>lane&1 == 1 {
				table[set][n] = uint32(lane)
				n++
			}
		}
	}
	return table
}()

// partitionBlock is the number of keys that are stored after one check that every part has room
// for all of them.
const partitionBlock = 1024

// partitionAVX2 packs the keys of each part to the front of a vector and stores all of
// it; elements that the next store does not overwrite are the slack. Heads stay in registers,
// so no key waits for the one before. Two vectors are processed at a time. The last
// keys before the end of out are left to plain Go.
func partitionAVX2(out, keys []int32, bounds *[Parts - 1]int32, heads *[Parts]int) {
	for len(keys) >= 16 {
		n := min(partitionBlock, len(keys)) &^ 15
		lowest, highest := min(heads[0], heads[1], heads[2], heads[3]), max(heads[0], heads[1], heads[2], heads[3])
		if lowest < 0 || highest > len(out)-n-PartitionSlack {
			break
		}
		partitionBlockAVX2(start(out), keys[:n], bounds, heads)
		keys = keys[n:]
	}
	plainPartition(out, keys, bounds, heads)
}

func partitionBlockAVX2(out unsafe.Pointer, keys []int32, bounds *[Parts - 1]int32, heads *[Parts]int) {
	t1, t2, t3 := archsimd.BroadcastInt32x8(bounds[0]), archsimd.BroadcastInt32x8(bounds[1]), archsimd.BroadcastInt32x8(bounds[2])
	h0, h1, h2, h3 := unsafe.Add(out, 4*heads[0]), unsafe.Add(out, 4*heads[1]), unsafe.Add(out, 4*heads[2]), unsafe.Add(out, 4*heads[3])
	p := start(keys)
	for i := 0; i < 4*len(keys); i += 64 {
		a, b := archsimd.LoadInt32x8Array(at[[8]int32](p, i)), archsimd.LoadInt32x8Array(at[[8]int32](p, i+32))
		a1, a2, a3 := t1.Greater(a).ToBits(), t2.Greater(a).ToBits(), t3.Greater(a).ToBits() // below a bound
		b1, b2, b3 := t1.Greater(b).ToBits(), t2.Greater(b).ToBits(), t3.Greater(b).ToBits()
		pa0, pb0 := a.Permute(archsimd.LoadUint32x8Array(&packing[a1])), b.Permute(archsimd.LoadUint32x8Array(&packing[b1]))
		pa1, pb1 := a.Permute(archsimd.LoadUint32x8Array(&packing[a1^a2])), b.Permute(archsimd.LoadUint32x8Array(&packing[b1^b2]))
		pa2, pb2 := a.Permute(archsimd.LoadUint32x8Array(&packing[a2^a3])), b.Permute(archsimd.LoadUint32x8Array(&packing[b2^b3]))
		pa3, pb3 := a.Permute(archsimd.LoadUint32x8Array(&packing[^a3])), b.Permute(archsimd.LoadUint32x8Array(&packing[^b3]))
		pa0.StoreArray((*[8]int32)(h0))
		h0 = unsafe.Add(h0, 4*bits.OnesCount8(a1))
		pa1.StoreArray((*[8]int32)(h1))
		h1 = unsafe.Add(h1, 4*bits.OnesCount8(a1^a2))
		pa2.StoreArray((*[8]int32)(h2))
		h2 = unsafe.Add(h2, 4*bits.OnesCount8(a2^a3))
		pa3.StoreArray((*[8]int32)(h3))
		h3 = unsafe.Add(h3, 4*bits.OnesCount8(^a3))
		pb0.StoreArray((*[8]int32)(h0))
		h0 = unsafe.Add(h0, 4*bits.OnesCount8(b1))
		pb1.StoreArray((*[8]int32)(h1))
		h1 = unsafe.Add(h1, 4*bits.OnesCount8(b1^b2))
		pb2.StoreArray((*[8]int32)(h2))
		h2 = unsafe.Add(h2, 4*bits.OnesCount8(b2^b3))
		pb3.StoreArray((*[8]int32)(h3))
		h3 = unsafe.Add(h3, 4*bits.OnesCount8(^b3))
	}
	archsimd.ClearAVXUpperBits()
	for j, h := range [Parts]unsafe.Pointer{h0, h1, h2, h3} {
		heads[j] = int(uintptr(h)-uintptr(out)) / 4
	}
}
