//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

package simd

import "simd/archsimd"

// The greater or the less of two numbers by a comparison, y if neither is.
// gen/families.go explains why not by an instruction.

func greaterFloat32AVX2(x, y archsimd.Float32x8) archsimd.Float32x8 { return x.Merge(y, x.Greater(y)) }

func lessFloat32AVX2(x, y archsimd.Float32x8) archsimd.Float32x8 { return x.Merge(y, y.Greater(x)) }

func greaterFloat64AVX2(x, y archsimd.Float64x4) archsimd.Float64x4 { return x.Merge(y, x.Greater(y)) }

func lessFloat64AVX2(x, y archsimd.Float64x4) archsimd.Float64x4 { return x.Merge(y, y.Greater(x)) }

func greaterInt64AVX2(x, y archsimd.Int64x4) archsimd.Int64x4 { return x.Merge(y, x.Greater(y)) }

func lessInt64AVX2(x, y archsimd.Int64x4) archsimd.Int64x4 { return x.Merge(y, y.Greater(x)) }
