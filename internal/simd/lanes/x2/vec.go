//go:build goexperiment.simd && (amd64 || arm64) && go1.27 && !go1.28

package lanes

import "simd/archsimd"

type (
	vec = archsimd.Float64x2
	f64 = archsimd.Float64x2
	f32 = archsimd.Float32x4
	i64 = archsimd.Int64x2
	i32 = archsimd.Int32x4
	u8  = archsimd.Uint8x16
)

const width = 16

func every32(x float32) f32 { return archsimd.BroadcastFloat32x4(x) }

func every(x float64) vec { return archsimd.BroadcastFloat64x2(x) }
