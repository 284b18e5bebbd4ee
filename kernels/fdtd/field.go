package fdtd

import (
	"unsafe"

	"gobench/kernels/application"
)

// line is the size of a cache line in bytes.
const line = 64

// field is one component of the fields in a block, with one more point on each side. The first
// point of each row is aligned to a cache line.
type field[T Real] struct {
	data   []T
	stride int // numbers from row to row
	margin int // numbers before the first point of a row
}

// strideOf returns the distance of rows of nx points, in numbers: whole cache lines, with one line
// for the left side and at least one number for the right.
func strideOf[T Real](nx int) int {
	per := line / int(unsafe.Sizeof(T(0)))
	return per + (nx+per)/per*per
}

// newField returns a component of nx times ny points, all 0.
func newField[T Real](nx, ny int) field[T] {
	size := int(unsafe.Sizeof(T(0)))
	f := field[T]{stride: strideOf[T](nx), margin: line / size}
	data := application.Array[T](f.stride*(ny+2) + line/size)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(data)))%line) / size
	f.data = data[skip:]
	return f
}

// row returns n numbers of row j from point i on. Rows and points range from -1 to one past the
// last.
func (f *field[T]) row(j, i, n int) []T {
	at := (j+1)*f.stride + f.margin + i
	return f.data[at : at+n : at+n]
}

// at returns point i of row j.
func (f *field[T]) at(j, i int) *T { return &f.data[(j+1)*f.stride+f.margin+i] }
