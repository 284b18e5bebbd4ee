package fdtd

import (
	"bytes"
	"image/png"
	"strings"
	"testing"

	"gobench/comm"
	"gobench/internal/device/decorator"
	"gobench/kernels/application"
	"gobench/kernels/kerneltest"
)

// run runs a problem as an application the given number of times.
func run(r *application.Rank, p Problem, o Options, runs int) (application.Measured, error) {
	return application.Repeat(r.Comm, r, p.Program(o), runs, nil)
}

func TestProgram(t *testing.T) {
	p := NewProblem(60, 50, 100)
	for _, precision := range tested() {
		for _, ranks := range []int{1, 4} {
			kerneltest.Run(t, kerneltest.Memory, ranks, max(1, 2/ranks), func(r *application.Rank) error {
				m, err := run(r, p, Options{Precision: precision}, 2)
				if err != nil || r.Comm.Rank() != 0 {
					return err
				}
				if !strings.Contains(m.Last.Text, precision+" precision") || !strings.Contains(m.Last.Text, "as in the serial result") {
					t.Errorf("%d ranks: %s", ranks, m.Last.Text)
				}
				if sent := 4 * 2 * 100; ranks == 4 && messages(m.Traffic) != int64(sent) {
					t.Errorf("%d messages in the profile, want %d", messages(m.Traffic), sent)
				}
				return nil
			})
		}
	}
}

// tested returns the precisions to test. The race detector, which takes ten times as long, sees the
// same operations of ranks and threads with each.
func tested() []string {
	if testing.Short() {
		return Precisions[:1]
	}
	return Precisions
}

// A different digest of the problem small means that the scheme has changed.
func TestStoredDigests(t *testing.T) {
	for _, precision := range tested() {
		kerneltest.Run(t, kerneltest.Shared, 2, 1, func(r *application.Rank) error {
			m, err := run(r, Sizes()[0].Problem, Options{Precision: precision}, 1)
			if err == nil && r.Comm.Rank() == 0 && !strings.Contains(m.Last.Text, "as in the stored result") {
				t.Error(m.Last.Text)
			}
			return err
		})
	}
}

func messages(m application.Messages) (n int64) {
	for _, p := range m.Pairs {
		n += p.Messages
	}
	return n
}

// A single wrong bit is detected.
func TestVerificationSeesOneBit(t *testing.T) {
	p := NewProblem(60, 50, 100)
	kerneltest.Run(t, kerneltest.Memory, 2, 1, func(r *application.Rank) error {
		s, err := New[float32](r, p, Blocks{1, 2})
		if err != nil {
			return err
		}
		if err := s.Advance(p.Steps); err != nil {
			return err
		}
		if v, err := s.verify(); err != nil || v.Wrong != "" {
			t.Errorf("%+v %v", v, err)
		}
		if s.y > 0 {
			*s.hx.at(3, 4) += 1e-9
		}
		if v, err := s.verify(); err != nil || !strings.Contains(v.Wrong, "digest") {
			t.Errorf("%+v %v", v, err)
		}
		return nil
	})
}

// Problems without a reference digest are verified by the proof before the run.
func TestProofSeesAWrongExchange(t *testing.T) {
	p := NewProblem(60, 50, 100)
	kerneltest.Run(t, kerneltest.Memory, 4, 1, func(r *application.Rank) error {
		s, err := New[float64](r, p, Blocks{2, 2})
		if err != nil {
			return err
		}
		for _, mistake := range []struct {
			name string
			make func()
		}{
			{"nothing is received", func() { s.halo.requests = nil }},
			{"a column is off by a row", func() {
				if in := s.halo.in[west]; in != nil {
					s.halo.in[west] = append(in[1:len(in):len(in)], in[0])
				}
			}},
			{"a coefficient", func() { s.c += 1e-15 }},
		} {
			keep, h := *s, *s.halo
			mistake.make()
			if wrong, err := s.Prove(); err != nil || wrong == 0 {
				t.Errorf("%s: %d points are wrong, %v", mistake.name, wrong, err)
			}
			*s, *s.halo = keep, h
		}
		if wrong, err := s.Prove(); err != nil || wrong != 0 {
			t.Errorf("%d points are wrong, %v", wrong, err)
		}
		return nil
	})
}

// A byte that is corrupted in transit must not lead to a result.
func TestCorruptMessagesAreSeen(t *testing.T) {
	p := NewProblem(60, 50, 40)
	kerneltest.Run(t, kerneltest.Memory, 4, 1, func(r *application.Rank) error {
		on := false
		world, err := comm.World(decorator.CorruptIn(func(int32) bool { return on }, r.Comm.Device(), 50, new(decorator.Tally)), comm.Options{Context: 1 << 10})
		if err != nil {
			return err
		}
		s, err := New[float32](application.NewRank(t.Context(), world, r.Team), p, Blocks{2, 2})
		if err != nil {
			return err
		}
		on = true
		err = s.Advance(p.Steps)
		on = false
		if err != nil {
			return err
		}
		if v, err := s.verify(); err != nil || v.Wrong == "" {
			t.Errorf("nobody has seen it: %+v %v", v, err)
		}
		return nil
	})
}

func TestPictures(t *testing.T) {
	p := NewProblem(1500, 70, 30)
	steps := 0
	kerneltest.Run(t, kerneltest.Memory, 3, 1, func(r *application.Rank) error {
		_, err := run(r, p, Options{Precision: "single", Every: 10, Picture: func(step int, picture *Picture) error {
			if steps += 10; step != steps {
				t.Errorf("a picture at step %d, want %d", step, steps)
			}
			var b bytes.Buffer
			scale, err := picture.WritePNG(&b)
			if err != nil || scale <= 0 {
				t.Errorf("scale %v, %v", scale, err)
			}
			img, err := png.Decode(&b)
			if err != nil {
				return err
			}
			if size := img.Bounds().Size(); size.X != 750 || size.Y != 35 {
				t.Errorf("the picture is %v", size)
			}
			return nil
		}}, 2)
		return err
	})
	if steps != 30 {
		t.Errorf("pictures up to step %d", steps)
	}
}

func TestStepsAllocateNothing(t *testing.T) {
	p := NewProblem(100, 100, 1000)
	kerneltest.Run(t, kerneltest.Memory, 1, 2, func(r *application.Rank) error {
		s, err := New[float32](r, p, Blocks{1, 1})
		if err != nil {
			return err
		}
		if n := kerneltest.Allocs(func() { err = s.advance() }); n != 0 || err != nil {
			t.Errorf("a step allocates %v times, %v", n, err)
		}
		return nil
	})
}

func TestMistakes(t *testing.T) {
	for want, p := range map[string]Problem{
		"grid is 0x5, want":        NewProblem(0, 5, 1),
		"steps is 0, want":         NewProblem(5, 5, 0),
		"courant is 0.8, want":     {5, 5, 1, 0.8, Source{0, 0, 20}},
		"source is 5,0, want":      {5, 5, 1, 0.5, Source{5, 0, 20}},
		"wavelength is 1, want":    {5, 5, 1, 0.5, Source{0, 0, 1}},
		"cannot be cut into 101 b": NewProblem(100, 100, 1),
	} {
		if err := (Options{}).Check(p, 101); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", p, err, want)
		}
	}
	for want, b := range map[string]Blocks{"3x2 blocks are 6, but there are 4 ranks": {3, 2}, "smaller than 1x4 blocks": {1, 4}} {
		if err := (Options{Blocks: b}).Check(NewProblem(9, 3, 1), 4); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %s", b, err, want)
		}
	}
}
