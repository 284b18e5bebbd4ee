package ft

import "gobench/internal/simd"

// columnPass transforms lines that are not contiguous in memory: point k of the line of a column
// lies from[k] numbers after the place of the column in the source, and to[k] after its place in
// the destination.
type columnPass struct {
	plan     *plan
	from, to []int
	back     bool
	lines    []float64 // factors of the columns, in the order of bundles; nil for none
}

// run transforms wide neighbouring columns, the first of which is at offsetFrom of src and at
// offsetTo of dst. dst may be src if the places are the same. The factors along the lines are in
// s.points.
func (p *columnPass) run(f *simd.Fourier, s *scratch, dst, src []float64, offsetTo, offsetFrom, wide int) {
	r := room(p.plan.n)
	for x := 0; x < wide; x += tile * simd.Lanes {
		count := min(tile, (wide-x)/simd.Lanes)
		if count == 0 {
			p.narrow(f, s, dst, src, offsetTo+2*x, offsetFrom+2*x, wide-x)
			return
		}
		if p.lines == nil {
			f.Columns(s.bundles, src, p.from, offsetFrom+2*x, count, r, p.back)
		} else {
			f.Scaled(s.bundles, src, p.from, offsetFrom+2*x, count, r, p.back, p.lines[x:], s.points)
		}
		for b := range count {
			p.plan.transform(f, s.bundles[b*r:(b+1)*r], s.others[b*r:(b+1)*r])
		}
		f.FromColumns(dst, s.result(p.plan), p.to, offsetTo+2*x, count, r, p.back)
	}
}

// narrow transforms fewer columns than a bundle has, which happens with the largest numbers of
// ranks.
func (p *columnPass) narrow(f *simd.Fourier, s *scratch, dst, src []float64, offsetTo, offsetFrom, wide int) {
	re, im := 0, simd.Lanes
	if p.back {
		re, im = im, re
	}
	bundle := s.bundles[:room(p.plan.n)]
	clear(bundle)
	for k, at := range p.from {
		for i := range wide {
			scale := 1.0
			if p.lines != nil {
				scale = p.lines[i] * s.points[k]
			}
			bundle[simd.Point*k+re+i] = scale * src[at+offsetFrom+2*i]
			bundle[simd.Point*k+im+i] = scale * src[at+offsetFrom+2*i+1]
		}
	}
	p.plan.transform(f, bundle, s.others)
	done := s.result(p.plan)
	for k, at := range p.to {
		for i := range wide {
			dst[at+offsetTo+2*i], dst[at+offsetTo+2*i+1] = done[simd.Point*k+re+i], done[simd.Point*k+im+i]
		}
	}
}
