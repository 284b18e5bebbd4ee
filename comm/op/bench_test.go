package op

import (
	"fmt"
	"testing"
)

// What an element costs beyond the kernel: two indirect calls.
func BenchmarkCombine(b *testing.B) {
	for _, bytes := range []int{8, 64, 1 << 10, 16 << 10} {
		b.Run(fmt.Sprint(bytes), func(b *testing.B) {
			dst, src := make([]byte, bytes), make([]byte, bytes)
			o := Sum[float64]()
			b.SetBytes(int64(bytes))
			for b.Loop() {
				o.Combine(dst, dst, src)
			}
		})
	}
}

// The rate is bytes of all sources per time.
func BenchmarkCombineAll(b *testing.B) {
	for _, count := range []int{2, 4, 16} {
		for _, bytes := range []int{1 << 10, 64 << 10, 1 << 20} {
			srcs := make([][]byte, count)
			for k := range srcs {
				srcs[k] = make([]byte, bytes)
			}
			dst := make([]byte, bytes)
			b.Run(fmt.Sprintf("sum/%dx%d", count, bytes), func(b *testing.B) {
				b.SetBytes(int64(count * bytes))
				for b.Loop() {
					Sum[float32]().CombineAll(dst, srcs)
				}
			})
			b.Run(fmt.Sprintf("max/%dx%d", count, bytes), func(b *testing.B) {
				b.SetBytes(int64(count * bytes))
				for b.Loop() {
					Max[float32]().CombineAll(dst, srcs)
				}
			})
		}
	}
}
