package fdtd

import (
	"fmt"
	"math"
	"testing"

	"gobench/kernels/application"
	"gobench/kernels/kerneltest"
)

// cavity runs a mode of the cavity with p and q half waves, which swings as the
// dispersion relation of the scheme has it (Taflove and Hagness, equation 4.5):
//
//	sin^2(w dt/2) = S^2 (sin^2(kx dx/2) + sin^2(ky dx/2))
//
// and returns the greatest difference to Ez(n) = cos(w n dt) Ez(0) on this rank.
// The scheme runs with coefficient in place of S.
func cavity[T Real](r *application.Rank, nx, ny, steps, p, q int, coefficient float64) (float64, error) {
	problem := NewProblem(nx, ny, steps)
	blocks, err := ChooseBlocks(problem, r.Comm.Size())
	if err != nil {
		return 0, err
	}
	s, err := New[T](r, problem, blocks)
	if err != nil {
		return 0, err
	}
	clear(s.wavelet)
	s.c = T(coefficient)
	kx, ky := float64(p)*math.Pi/float64(nx+1), float64(q)*math.Pi/float64(ny+1)
	mode := func(j, i int) float64 { return math.Sin(kx*float64(i+s.x+1)) * math.Sin(ky*float64(j+s.y+1)) }
	// H half a step before the beginning is half of what a step changes, the other way.
	for j := -1; j < s.ny; j++ {
		for i := -1; i < s.nx; i++ {
			*s.hx.at(j, i) = T(-problem.Courant / 2 * (mode(j, i) - mode(j+1, i)))
			*s.hy.at(j, i) = T(-problem.Courant / 2 * (mode(j, i+1) - mode(j, i)))
			if j >= 0 && i >= 0 {
				*s.e.at(j, i) = T(mode(j, i))
			}
		}
	}
	s.packAll()
	if err := s.Advance(steps); err != nil {
		return 0, err
	}
	half := math.Asin(problem.Courant * math.Hypot(math.Sin(kx/2), math.Sin(ky/2)))
	amplitude := math.Cos(2 * half * float64(steps))
	worst := 0.0
	for j := range s.ny {
		for i := range s.nx {
			worst = max(worst, math.Abs(float64(*s.e.at(j, i))-amplitude*mode(j, i)))
		}
	}
	return worst, nil
}

func TestCavityMode(t *testing.T) {
	for _, ranks := range []int{1, 4, 6} {
		modes := []struct{ nx, ny, steps, p, q int }{{50, 80, 200, 7, 11}, {40, 30, 1000, 1, 1}, {63, 31, 2000, 3, 2}, {99, 9, 500, 1, 9}}
		if ranks > 1 {
			modes = modes[:1]
		}
		for _, c := range modes {
			kerneltest.Run(t, kerneltest.Memory, ranks, 1, func(r *application.Rank) error {
				double, err := cavity[float64](r, c.nx, c.ny, c.steps, c.p, c.q, Courant)
				if err != nil {
					return err
				}
				single, err := cavity[float32](r, c.nx, c.ny, c.steps, c.p, c.q, Courant)
				if double > 1e-12 || single > 2e-4 {
					t.Errorf("%d ranks, mode %d,%d of %dx%d after %d steps is wrong by %.3g in double and %.3g in single precision",
						ranks, c.p, c.q, c.nx, c.ny, c.steps, double, single)
				}
				return err
			})
		}
	}
}

// An error of 1e-4 in a coefficient must be detected.
func TestCavityModeSeesAWrongCoefficient(t *testing.T) {
	kerneltest.Run(t, kerneltest.Memory, 1, 1, func(r *application.Rank) error {
		wrong, err := cavity[float64](r, 63, 31, 2000, 3, 2, Courant*1.0001)
		if wrong < 1e-3 {
			t.Errorf("a coefficient of 1.0001 S changes the mode by %.3g only", wrong)
		}
		return err
	})
}

// The field of a source in the middle has all symmetries of a square, to the bit.
func TestFieldIsSymmetric(t *testing.T) {
	p := NewProblem(65, 65, 150)
	for _, blocks := range []Blocks{{1, 1}, {2, 2}, {3, 2}} {
		kerneltest.Run(t, kerneltest.Memory, blocks.X*blocks.Y, 1, func(r *application.Rank) error {
			s, err := New[float32](r, p, blocks)
			if err != nil {
				return err
			}
			if err := s.Advance(p.Steps); err != nil {
				return err
			}
			picture, err := s.Snapshot()
			if err != nil || picture == nil {
				return err
			}
			at := func(j, i int) float32 { return picture.Values[j*p.NX+i] }
			var greatest float32
			for j := range p.NY {
				for i := range p.NX {
					v := at(j, i)
					greatest = max(greatest, v)
					if v != at(j, 64-i) || v != at(64-j, i) || v != at(i, j) {
						return fmt.Errorf("%v blocks: Ez at %d,%d has not the values of its mirror images", blocks, i, j)
					}
				}
			}
			if greatest < 0.01 {
				return fmt.Errorf("the greatest Ez is %g: nothing to be seen", greatest)
			}
			return nil
		})
	}
}

// energyError runs a problem in blocks and returns the error of its energy, and the energy.
func energyError[T Real](t *testing.T, p Problem, blocks Blocks, change func(s *Solver[T])) (worst float64) {
	t.Helper()
	kerneltest.Run(t, kerneltest.Memory, blocks.X*blocks.Y, 1, func(r *application.Rank) error {
		s, err := New[T](r, p, blocks)
		if err != nil {
			return err
		}
		if change != nil {
			change(s)
		}
		if err := s.Advance(p.Steps); err != nil {
			return err
		}
		e, err := s.Energy()
		if r.Comm.Rank() == 0 {
			worst = e.Error()
			t.Logf("%dx%d, %d steps, %T: energy %.6g, work %.6g, error %.2g", p.NX, p.NY, p.Steps, s.c, e.Field, e.Work, e.Error())
		}
		return err
	})
	return worst
}

// The energy equals the work of the source, after any number of steps.
func TestEnergyIsConserved(t *testing.T) {
	for _, steps := range []int{30, 200, 2000} {
		p := NewProblem(90, 70, steps)
		p.Source.X = 20
		for _, blocks := range []Blocks{{1, 1}, {3, 2}} {
			if blocks.X > 1 && steps > 200 {
				continue
			}
			if e := energyError[float64](t, p, blocks, nil); !(e < tolerance[float64]()) {
				t.Errorf("%d steps, %v blocks, double precision: the energy is wrong by %.3g", steps, blocks, e)
			}
			if e := energyError[float32](t, p, blocks, nil); !(e < tolerance[float32]()) {
				t.Errorf("%d steps, %v blocks, single precision: the energy is wrong by %.3g", steps, blocks, e)
			}
		}
	}
}

// A source that takes back nearly all that it gives, in a small grid or beside a wall with a long
// wavelength, leaves an energy far below the rounding errors of what has been given.
func TestEnergyOfASourceThatTakesBack(t *testing.T) {
	for _, p := range []Problem{
		NewProblem(1, 1, 500), NewProblem(4, 4, 500), {NX: 64, NY: 48, Steps: 1000, Courant: NewProblem(1, 1, 1).Courant, Source: Source{0, 0, 200}},
	} {
		if e := energyError[float64](t, p, Blocks{1, 1}, nil); !(e < tolerance[float64]()) {
			t.Errorf("%dx%d, double precision: the energy is wrong by %.3g", p.NX, p.NY, e)
		}
		if e := energyError[float32](t, p, Blocks{1, 1}, nil); !(e < tolerance[float32]()) {
			t.Errorf("%dx%d, single precision: the energy is wrong by %.3g", p.NX, p.NY, e)
		}
	}
}

// A step that deviates from the scheme must be detected.
func TestEnergySeesAWrongStep(t *testing.T) {
	p := NewProblem(90, 70, 200)
	p.Source = Source{40, 30, 12}
	for name, change := range map[string]func(s *Solver[float32]){
		"another coefficient on one rank": func(s *Solver[float32]) {
			if s.x > 0 && s.y > 0 {
				s.c *= 1.001
			}
		},
	} {
		if e := energyError(t, p, Blocks{2, 2}, change); e < tolerance[float32]() {
			t.Errorf("%s changes the energy by %.3g only", name, e)
		}
	}
}

func TestWavelet(t *testing.T) {
	p := NewProblem(10, 10, 1)
	for n := range 400 {
		x := math.Pi * (p.Courant*float64(n)/p.Source.Wavelength - 1)
		want := (1 - 2*x*x) * math.Exp(-x*x)
		if got := p.ricker(n); math.Abs(got-want) > 1e-15 {
			t.Errorf("step %d: %v, want %v", n, got, want)
		}
	}
	for x := 0.0; x < 700; x += 0.37 {
		if got, want := decay(x), math.Exp(-x); math.Abs(got-want) > 4e-16*want+5e-324 {
			t.Errorf("exp(-%g) is %v, want %v", x, got, want)
		}
	}
}
