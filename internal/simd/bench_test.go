package simd

import (
	"fmt"
	"testing"
)

// operandBytes lists the lengths of the vectors that are measured.
var operandBytes = []int{8, 64, 1 << 10, 16 << 10, 64 << 10, 1 << 20}

// The rate is bytes of one vector per time, as a message of that size has it.
func benchmark(b *testing.B, name string, pick func(*Set) call, count int) {
	for _, bytes := range operandBytes {
		for _, s := range Sets() {
			b.Run(fmt.Sprintf("%s/%d/%s", name, bytes, s.Level), func(b *testing.B) {
				src := make([][]byte, count)
				for k := range src {
					src[k] = make([]byte, bytes)
					for i := range src[k] {
						src[k][i] = byte(1 + (i*(k+7))%13) // small ordinary numbers of any type
					}
				}
				dst := make([]byte, bytes)
				f := pick(s)
				b.SetBytes(int64(bytes))
				for b.Loop() {
					f(dst, src)
				}
			})
		}
	}
}

func BenchmarkSum(b *testing.B) {
	benchmark(b, "float32", func(s *Set) call { return two(s.Float32.Sum) }, 2)
	benchmark(b, "float64", func(s *Set) call { return two(s.Float64.Sum) }, 2)
	benchmark(b, "int8", func(s *Set) call { return two(s.Int8.Sum) }, 2)
}

func BenchmarkSum4(b *testing.B) {
	benchmark(b, "float32", func(s *Set) call {
		return func(dst []byte, src [][]byte) { s.Float32.Sum4(dst, src[0], src[1], src[2], src[3]) }
	}, 4)
	benchmark(b, "float64", func(s *Set) call {
		return func(dst []byte, src [][]byte) { s.Float64.Sum4(dst, src[0], src[1], src[2], src[3]) }
	}, 4)
}

func BenchmarkProd(b *testing.B) {
	benchmark(b, "int64", func(s *Set) call { return two(s.Int64.Prod) }, 2)
}

func BenchmarkMax(b *testing.B) {
	benchmark(b, "float64", func(s *Set) call { return two(s.Float64.Max) }, 2)
	benchmark(b, "int32", func(s *Set) call { return two(s.Int32.Max) }, 2)
	benchmark(b, "uint64", func(s *Set) call { return two(s.Uint64.Max) }, 2)
}

func BenchmarkXor(b *testing.B) {
	benchmark(b, "bytes", func(s *Set) call { return two(s.Xor) }, 2)
}
