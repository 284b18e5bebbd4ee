package comm

import "encoding/binary"

// A Vector is a regular pattern in a slice, in elements, like MPI_Type_vector:
// Count blocks of Block elements, Stride from the start of one to
// the start of the next. A column of an h x w matrix is Vector{h, 1, w}.
type Vector struct{ Count, Block, Stride int }

// Len returns the number of elements in the pattern.
func (v Vector) Len() int { return v.Count * v.Block }

// Extent returns the number of elements from the first to the last of the pattern,
// inclusive.
func (v Vector) Extent() int {
	if v.Len() == 0 {
		return 0
	}
	return (v.Count-1)*v.Stride + v.Block
}

// contiguous reports whether the pattern has no gaps.
func (v Vector) contiguous() bool { return v.Count <= 1 || v.Block == v.Stride || v.Block == 0 }

// check checks the pattern against a slice of n elements. Overlapping blocks are an error, also for
// sends.
func (v Vector) check(op string, n int) error {
	switch {
	case v.Count < 0:
		return &ArgumentError{op, "the count of the vector", v.Count, "0 or more"}
	case v.Block < 0:
		return &ArgumentError{op, "the block of the vector", v.Block, "0 or more"}
	case v.Count > 1 && v.Stride < v.Block:
		return &ArgumentError{op, "the stride of the vector", v.Stride, "at least the block"}
	case v.Count > 0 && v.Block > n || v.Count > 1 && v.Block > 0 && (n-v.Block)/v.Stride < v.Count-1:
		return &ArgumentError{op, "the length of the data", n, "at least the extent of the vector"}
	}
	return nil
}

// bytes returns the pattern in bytes.
func (v Vector) bytes(elem int) Vector { return Vector{v.Count, v.Block * elem, v.Stride * elem} }

// pack gathers the pattern of src into dst, of its length. v is in bytes.
func (v Vector) pack(dst, src []byte) {
	switch v.Block {
	case 8: // loads and stores of one element are several times as fast as copying few bytes
		for i := range v.Count {
			binary.LittleEndian.PutUint64(dst[8*i:], binary.LittleEndian.Uint64(src[i*v.Stride:]))
		}
	case 4:
		for i := range v.Count {
			binary.LittleEndian.PutUint32(dst[4*i:], binary.LittleEndian.Uint32(src[i*v.Stride:]))
		}
	default:
		for i := range v.Count {
			copy(dst[i*v.Block:(i+1)*v.Block], src[i*v.Stride:])
		}
	}
}

// unpack scatters src, which may be shorter than the pattern, into the pattern of dst.
func (v Vector) unpack(dst, src []byte) {
	whole := len(src) / max(v.Block, 1)
	switch v.Block {
	case 8:
		for i := range whole {
			binary.LittleEndian.PutUint64(dst[i*v.Stride:], binary.LittleEndian.Uint64(src[8*i:]))
		}
	case 4:
		for i := range whole {
			binary.LittleEndian.PutUint32(dst[i*v.Stride:], binary.LittleEndian.Uint32(src[4*i:]))
		}
	default:
		for i := range whole {
			copy(dst[i*v.Stride:], src[i*v.Block:(i+1)*v.Block])
		}
	}
	if v.Block > 0 {
		copy(dst[min(whole*v.Stride, len(dst)):], src[whole*v.Block:])
	}
}
