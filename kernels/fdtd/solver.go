package fdtd

import (
	"unsafe"

	"gobench/comm"
	"gobench/internal/simd"
	"gobench/kernels/application"
)

// Solver is the block of one rank.
type Solver[T Real] struct {
	problem Problem
	blocks  Blocks
	rank    *application.Rank
	cart    *comm.Cart
	block
	c        T // Courant's number
	kernel   simd.Yee[T]
	e        field[T]
	hx, hy   field[T]
	halo     *halo[T]
	wavelet  []T // by step
	sweep    sweep[T]
	step     int // steps done
	work     work
	expected *expectation // digest that a run must have; nil = unknown
}

// New returns a solver with all fields 0. It is collective. Its errors are a *ProblemError, a
// *BlocksError, or those of package comm.
func New[T Real](r *application.Rank, p Problem, b Blocks) (*Solver[T], error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	if err := b.Check(p, r.Comm.Size()); err != nil {
		return nil, err
	}
	cart, err := comm.NewCart(r.Comm, []int{b.Y, b.X}, []bool{false, false}, false)
	if err != nil {
		return nil, err
	}
	r.Keep(cart.Comm)
	at, err := cart.Coords(cart.Rank())
	if err != nil {
		return nil, err
	}
	s := &Solver[T]{problem: p, blocks: b, rank: r, cart: cart, block: b.block(p, at[1], at[0]), c: T(p.Courant), kernel: kernelOf[T](simd.Best())}
	s.e, s.hx, s.hy = newField[T](s.nx, s.ny), newField[T](s.nx, s.ny), newField[T](s.nx, s.ny)
	if s.halo, err = newHalo(cart, s.block, &s.e); err != nil {
		return nil, err
	}
	s.wavelet = make([]T, p.Steps)
	for n := range s.wavelet {
		s.wavelet[n] = T(p.ricker(n))
	}
	s.sweep.prepare(s)
	s.Reset()
	return s, nil
}

// kernelOf returns the vector kernels of a precision.
func kernelOf[T Real](set *simd.Set) simd.Yee[T] {
	if k, ok := any(set.Yee32).(simd.Yee[T]); ok {
		return k
	}
	return any(set.Yee64).(simd.Yee[T])
}

// Memory returns the allocation of all ranks, in bytes.
func Memory[T Real](p Problem, b Blocks, threads int) int64 {
	size := int64(unsafe.Sizeof(T(0)))
	nx, ny := (p.NX+b.X-1)/b.X, (p.NY+b.Y-1)/b.Y
	row := int64(strideOf[T](nx)) * size
	return int64(b.X*b.Y) * (3*row*int64(ny+2) + int64(threads)*2*row + size*int64(p.Steps+4*ny))
}

// Reset sets the fields to 0 and the step to 0. Each thread clears the rows that it works on, so
// that their pages are local to it.
func (s *Solver[T]) Reset() {
	s.step, s.work = 0, work{}
	s.rank.Team.Run(func(thread int) {
		lo, hi := application.Part(s.ny+2, thread, s.rank.Team.Threads())
		for _, f := range []*field[T]{&s.e, &s.hx, &s.hy} {
			clear(f.data[lo*f.stride : hi*f.stride])
		}
	})
	s.packAll()
}

// Advance does the given number of steps.
func (s *Solver[T]) Advance(steps int) error {
	for range steps {
		if err := s.advance(); err != nil {
			return err
		}
		if err := s.rank.Step(s.step, s.problem.Steps); err != nil {
			return err
		}
	}
	return nil
}

// advance does one step.
func (s *Solver[T]) advance() error {
	if err := s.halo.start(&s.rank.Profile); err != nil {
		return err
	}
	if err := s.sweep.inner(s); err != nil {
		return err
	}
	s.rank.Timers.Begin(application.Exchange)
	if err := s.halo.wait(); err != nil {
		return err
	}
	s.rank.Timers.Begin(application.Compute)
	s.border()
	s.emit()
	s.step++
	return nil
}

// emit adds the wavelet to Ez at the source.
func (s *Solver[T]) emit() {
	p := s.problem.Source
	if s.step >= len(s.wavelet) || !s.has(p.X, p.Y) {
		return
	}
	x, y := p.X-s.x, p.Y-s.y
	v, w := s.e.at(y, x), s.wavelet[s.step]
	*v += w
	s.work.add(float64(w), float64(*v))
	s.halo.pack(y, x, *v)
}

// line is the size of a cache line in bytes.
const line = 64

// field is one component of the fields in a block, with one more point on each side. The first
// point of each row is aligned to a cache line.
type field[T Real] struct {
	data   []T
	stride int // numbers from row to row
	margin int // numbers before the first point of a row
}

// strideOf returns the distance of rows of nx points, in numbers: whole cache lines, with one line
// for the left side and at least one number for the right.
func strideOf[T Real](nx int) int {
	per := line / int(unsafe.Sizeof(T(0)))
	return per + (nx+per)/per*per
}

// newField returns a component of nx times ny points, all 0.
func newField[T Real](nx, ny int) field[T] {
	size := int(unsafe.Sizeof(T(0)))
	f := field[T]{stride: strideOf[T](nx), margin: line / size}
	data := application.Array[T](f.stride*(ny+2) + line/size)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(data)))%line) / size
	f.data = data[skip:]
	return f
}

// row returns n numbers of row j from point i on. Rows and points range from -1 to one past the
// last.
func (f *field[T]) row(j, i, n int) []T {
	at := (j+1)*f.stride + f.margin + i
	return f.data[at : at+n : at+n]
}

// at returns point i of row j.
func (f *field[T]) at(j, i int) *T { return &f.data[(j+1)*f.stride+f.margin+i] }
