package dt

import "gobench/kernels/npb/random"

// fields is the number of values of a sample.
const fields = 4

// A size holds the parameters of a class: the mean number of samples of a source, their deviation,
// and the number of sources (in WH: sinks).
type size struct{ samples, deviation, sources int }

// most returns the greatest number of values that a source makes.
func (s size) largest() int { return fields * (s.samples + s.deviation) }

// mean returns the mean number of values.
func (s size) mean() int { return fields * s.samples }

// samplesOf returns the number of samples of a source: the mean plus or minus the deviation, by the
// generator of the benchmarks ("GetFeatureNum").
func (s size) samplesOf(id int) int {
	r := float64(random.Seed*(2*id+1)) / (1 << 46)
	rest := powerMod(int32(1/r)*'S', 2*id+1, int32(2*s.deviation))
	return s.samples - s.deviation + int(max(rest, -rest))
}

// powerMod returns a^n modulo md with the products of the official program, which overflow.
func powerMod(a int32, n int, md int32) int32 {
	if n == 0 {
		return 1
	}
	r := int32(1)
	for n > 1 {
		if n%2 == 0 {
			a = a * a % md
			n /= 2
		} else {
			r = r * a % md
			n--
		}
	}
	return r * a % md
}

// generate puts the features of a source into f: four geometric sequences ("RandomFeatures").
func generate(f []float64, id int) {
	n := len(f) * (id + 1) % 3141592
	x, y, z, v := powerMod(2, n, 421), powerMod(2, n, 419), powerMod(2, n, 1427), powerMod(5, n, 3527)
	for ; len(f) >= fields; f = f[fields:] {
		x, y, z, v = x*2%421, y*2%419, z*2%1427, v*5%3527
		f[0], f[1], f[2], f[3] = float64(x), float64(y), float64(z), float64(v)
	}
}

// resample stretches the first n values of a to n2 in place; each is shared by two places
// ("Resample" for lengths whose quotient is below 2).
func resample(a []float64, n, n2 int) {
	last := a[n-1]
	for j := 1; j <= n-3; j++ {
		a[j] = a[j]/2 + a[j+1]/2
	}
	a[n-2] /= 2
	clear(a[n-1 : n2])
	a[n2-1] = last
}

// filter replaces each sample of acc by a weighted sample of b ("WindowFilter"): of the same place
// or one of the two adjacent places, the one where the samples of acc and b are closest. Both have
// the same length.
func filter(acc, b []float64, weight float64) {
	b = b[:len(acc)]
	for i := fields; i+2*fields <= len(acc); i += fields {
		here, best := 0, distance(acc[i:], b[i:])
		if d := distance(acc[i+fields:], b[i+fields:]); d < best {
			here, best = fields, d
		}
		if distance(acc[i-fields:], b[i-fields:]) < best {
			here = -fields
		}
		to, from := acc[i:i+fields], b[i+here:i+here+fields]
		to[0], to[1], to[2], to[3] = weight*from[0], weight*from[1], weight*from[2], weight*from[3]
	}
}

// distance returns the square of the distance of two samples.
func distance(a, b []float64) float64 {
	a, b = a[:fields], b[:fields]
	d0, d1, d2, d3 := a[0]-b[0], a[1]-b[1], a[2]-b[2], a[3]-b[3]
	return d0*d0 + d1*d1 + d2*d2 + d3*d3
}

// truncate replaces each value by the integer quotient of its integer part and by.
func truncate(a []float64, by int) {
	for i, v := range a {
		a[i] = float64(int64(v) / int64(by))
	}
}

// meanSquare returns the mean of the squares ("CheckVal").
func meanSquare(a []float64) (sum float64) {
	n := float64(len(a))
	for _, v := range a {
		sum += v * v / n
	}
	return sum
}
