//go:build !(goexperiment.simd && amd64 && go1.27 && !go1.28)

package lanes

import (
	"unsafe"

	lanes "gobench/internal/simd/lanes/x1"
)

type vec = lanes.Vec

const width = 8

func every(x float64) vec { return vec(x) }

func end() {}

// at returns the vector i bytes behind p.
func at(p unsafe.Pointer, i int) *vec { return (*vec)(unsafe.Add(p, i)) }
