package lanes

// Dot is Dot of a Solver.
func Dot(a, b []float64) float64 {
	var s0, s1, s2, s3 float64
	b = b[:len(a)]
	for len(a) >= 4 && len(b) >= 4 {
		s0 += a[0] * b[0]
		s1 += a[1] * b[1]
		s2 += a[2] * b[2]
		s3 += a[3] * b[3]
		a, b = a[4:], b[4:]
	}
	for i, v := range a {
		s0 += v * b[i]
	}
	return (s0 + s1) + (s2 + s3)
}

// Update is Update of a Solver.
func Update(z, r, p, q []float64, alpha float64) float64 {
	r, p, q = r[:len(z)], p[:len(z)], q[:len(z)]
	var s0, s1 float64
	i := 0
	for ; i+1 < len(z); i += 2 {
		z[i] += alpha * p[i]
		z[i+1] += alpha * p[i+1]
		a, b := r[i]-alpha*q[i], r[i+1]-alpha*q[i+1]
		r[i], r[i+1] = a, b
		s0 += a * a
		s1 += b * b
	}
	for ; i < len(z); i++ {
		z[i] += alpha * p[i]
		r[i] -= alpha * q[i]
		s0 += r[i] * r[i]
	}
	return s0 + s1
}

// Direction is Direction of a Solver.
func Direction(p, r []float64, beta float64) {
	r = r[:len(p)]
	for i := range p {
		p[i] = r[i] + beta*p[i]
	}
}
