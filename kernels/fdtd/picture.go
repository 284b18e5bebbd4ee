package fdtd

import (
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"slices"

	"gobench/comm"
)

// WritePNG draws the picture: blue where Ez is negative, light grey where it is 0, red
// where it is positive, in the diverging map of K. Moreland ("Diverging Color Maps for
// Scientific Visualization", 2009), with y upwards. It returns the magnitude of Ez that has the
// darkest colours: the 99.9th percentile, so that the peak at the source does not pale the rest.
func (p *Picture) WritePNG(w io.Writer) (scale float64, err error) {
	scale = p.scale()
	img := image.NewPaletted(image.Rect(0, 0, p.Width, p.Height), palette())
	for j := range p.Height {
		for i := range p.Width {
			v := float64(p.Values[j*p.Width+i]) / scale
			level := math.Round(middle * (1 + max(-1, min(1, v))))
			img.SetColorIndex(i, p.Height-1-j, uint8(level))
		}
	}
	return scale, png.Encode(w, img)
}

// scale returns the magnitude of Ez that has the darkest colours, 1 if all of Ez is 0.
func (p *Picture) scale() float64 {
	all := make([]float32, len(p.Values))
	for i, v := range p.Values {
		all[i] = max(v, -v)
	}
	slices.Sort(all)
	if v := float64(all[len(all)-1-len(all)/1000]); v > 0 {
		return v
	}
	return 1
}

// middle is the index of grey, and the number of colours on each side of it.
const middle = 127

// palette returns colours from blue over grey to red: nine points of Moreland's map, interpolated
// in linear light.
func palette() color.Palette {
	points := [...][3]float64{
		{59, 76, 192}, {98, 130, 234}, {141, 176, 254}, {184, 208, 249}, {221, 221, 221},
		{245, 196, 173}, {244, 154, 123}, {222, 96, 77}, {180, 4, 38},
	}
	linear := func(v float64) float64 { return math.Pow(v/255, 2.2) }
	var list color.Palette
	for k := range 2*middle + 1 {
		at := float64(k) / (2 * middle) * float64(len(points)-1)
		n := min(int(at), len(points)-2)
		var rgb [3]uint8
		for c := range rgb {
			a, b := linear(points[n][c]), linear(points[n+1][c])
			rgb[c] = uint8(math.Round(255 * math.Pow(a+(at-float64(n))*(b-a), 1/2.2)))
		}
		list = append(list, color.RGBA{rgb[0], rgb[1], rgb[2], 255})
	}
	return list
}

// Picture is a sample of Ez at regular points.
type Picture struct {
	Width, Height int
	Values        []float32 // row by row from below
}

// widest is the greatest width and height of a picture.
const widest = 1024

// tagPicture is the tag of messages for a picture. Lower tags belong to the sides.
const tagPicture = int(sides)

// Snapshot gathers Ez on rank 0, sampled down to at most 1024 points each way. It is collective and
// returns nil on other ranks.
func (s *Solver[T]) Snapshot() (*Picture, error) {
	step := (max(s.problem.NX, s.problem.NY) + widest - 1) / widest
	if s.cart.Rank() != 0 {
		return nil, comm.Send(s.cart.Comm, s.thin(step), 0, tagPicture)
	}
	count := func(n int) int { return (n + step - 1) / step }
	p := &Picture{Width: count(s.problem.NX), Height: count(s.problem.NY)}
	p.Values = make([]float32, p.Width*p.Height)
	for rank := range s.cart.Size() {
		at, err := s.cart.Coords(rank)
		if err != nil {
			return nil, err
		}
		k := s.blocks.block(s.problem, at[1], at[0])
		x, nx := thinned(k.x, k.nx, step)
		y, ny := thinned(k.y, k.ny, step)
		points := s.thin(step)
		if rank != 0 {
			points = make([]float32, nx*ny)
			if _, err := comm.Recv(s.cart.Comm, points, rank, tagPicture); err != nil {
				return nil, err
			}
		}
		for j := range ny {
			copy(p.Values[(y+j)*p.Width+x:], points[j*nx:(j+1)*nx])
		}
	}
	return p, nil
}

// thinned returns first, where first*step is the first multiple of step in the n numbers from lo
// on, and the count of these multiples.
func thinned(lo, n, step int) (first, count int) {
	first = (lo + step - 1) / step
	return first, (lo+n+step-1)/step - first
}

// thin returns the points of this block whose coordinates are multiples of step.
func (s *Solver[T]) thin(step int) []float32 {
	x, nx := thinned(s.x, s.nx, step)
	y, ny := thinned(s.y, s.ny, step)
	points := make([]float32, 0, nx*ny)
	for j := range ny {
		for i := range nx {
			points = append(points, float32(*s.e.at((y+j)*step-s.y, (x+i)*step-s.x)))
		}
	}
	return points
}
