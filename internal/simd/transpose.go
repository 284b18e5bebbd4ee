package simd

// A Transposer brings rows of several components into lanes and back.
type Transposer struct {
	// ToLanes sets dst[i][m][l] to number i of component m of row l, for i < n: src[rows[l] + m
	// comp + i].
	ToLanes func(dst, src []float64, rows *[LineLanes]int, comp, n int)
	// ToRows is the inverse. Rows may coincide; then the last one counts.
	ToRows func(dst, src []float64, rows *[LineLanes]int, comp, n int)
}

const components = 5

func plainToLanes(dst, src []float64, rows *[LineLanes]int, comp, n int) {
	for m := range components {
		for l, row := range rows {
			from := src[row+m*comp : row+m*comp+n]
			at := m*LineLanes + l
			for i := range n {
				dst[at+components*LineLanes*i] = from[i]
			}
		}
	}
}

func plainToRows(dst, src []float64, rows *[LineLanes]int, comp, n int) {
	for m := range components {
		for l, row := range rows {
			to := dst[row+m*comp : row+m*comp+n]
			at := m*LineLanes + l
			for i := range n {
				to[i] = src[at+components*LineLanes*i]
			}
		}
	}
}
