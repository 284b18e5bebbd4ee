//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

package lanes

import "simd/archsimd"

type (
	vec = archsimd.Float64x8
	f64 = archsimd.Float64x8
	f32 = archsimd.Float32x16
	i64 = archsimd.Int64x8
	i32 = archsimd.Int32x16
	u8  = archsimd.Uint8x64
)

const width = 64

func every32(x float32) f32 { return archsimd.BroadcastFloat32x16(x) }

func every(x float64) vec { return archsimd.BroadcastFloat64x8(x) }

func end() { archsimd.ClearAVXUpperBits() }
