package ft

import (
	"math"

	"gobench/internal/simd"
)

// plan holds the twiddle factors of transforms of n points, a power of two from 2 on, for each pass
// of radix 4.
type plan struct {
	n      int
	passes [][]float64
}

func newPlan(n int) plan {
	p := plan{n: n}
	for left := n; left >= 4; left /= 4 {
		p.passes = append(p.passes, make([]float64, 6*(left/4)+1))
	}
	p.fill()
	return p
}

// fill computes the twiddle factors.
func (p *plan) fill() {
	left := p.n
	for _, w := range p.passes {
		for i := range left / 4 {
			for k := range 3 {
				sin, cos := math.Sincos(-2 * math.Pi * float64(i*(k+1)) / float64(left))
				w[6*i+2*k], w[6*i+2*k+1] = cos, sin
			}
		}
		left /= 4
	}
}

// changes reports whether a transform leaves its result in its second array.
func (p *plan) changes() bool {
	passes := len(p.passes)
	if p.n != 1<<(2*passes) {
		passes++ // of radix 2
	}
	return passes%2 == 1
}

// transform transforms the lines of a bundle with the kernel exp(-2 pi i jk/n), without
// normalisation. The result is in other if p.changes(), else in bundle.
func (p *plan) transform(f *simd.Fourier, bundle, other []float64) {
	left, side := p.n, 1
	for _, w := range p.passes {
		f.Radix4(other, bundle, w, left, side)
		bundle, other = other, bundle
		left, side = left/4, side*4
	}
	if left == 2 {
		f.Radix2(other, bundle, side)
	}
}
