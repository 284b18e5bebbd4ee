//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

package lanes

import "simd/archsimd"

type (
	vec = archsimd.Float64x4
	f64 = archsimd.Float64x4
	f32 = archsimd.Float32x8
	i64 = archsimd.Int64x4
	i32 = archsimd.Int32x8
	u8  = archsimd.Uint8x32
)

const width = 32

func every32(x float32) f32 { return archsimd.BroadcastFloat32x8(x) }

func every(x float64) vec { return archsimd.BroadcastFloat64x4(x) }

func end() { archsimd.ClearAVXUpperBits() }
