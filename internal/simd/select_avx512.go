//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

package simd

import "simd/archsimd"

// The greater or the less of two numbers by a comparison, y if neither is.
// gen/families.go explains why not by an instruction.

func greaterFloat32AVX512(x, y archsimd.Float32x16) archsimd.Float32x16 {
	return x.Merge(y, x.Greater(y))
}

func lessFloat32AVX512(x, y archsimd.Float32x16) archsimd.Float32x16 { return x.Merge(y, y.Greater(x)) }

func greaterFloat64AVX512(x, y archsimd.Float64x8) archsimd.Float64x8 {
	return x.Merge(y, x.Greater(y))
}

func lessFloat64AVX512(x, y archsimd.Float64x8) archsimd.Float64x8 { return x.Merge(y, y.Greater(x)) }
