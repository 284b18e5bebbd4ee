package measure

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gobench/bench/record"
	"gobench/internal/nearest"
	"gobench/kernels/fdtd"
)

// FDTD is the problem of gobench fdtd, as typed.
type FDTD struct {
	Size       string // name of a problem
	Grid       string // "4096x2048", "" = that of the problem
	Steps      int    // 0 = those of the problem
	Real       string // "single" or "double"
	Source     string // "X,Y", "" = the middle
	Wavelength float64
	Blocks     string // "2x2", "" = to be chosen
	Every      int    // steps from picture to picture, 0 = none
	Pictures   string // folder
}

// DefaultFDTD is what is run where nothing is asked for.
func DefaultFDTD() Asked {
	a := DefaultKernels
	a.FDTD = &FDTD{Size: "small", Real: "single", Wavelength: fdtd.Wavelength, Pictures: "."}
	return a
}

// fdtd plans the problem for one number of ranks.
func (r *Request) fdtd(a Asked) error {
	if err := r.runs(a); err != nil {
		return err
	}
	p, o, err := a.FDTD.read()
	if err != nil {
		return err
	}
	if a.Weak {
		if o.Blocks != (fdtd.Blocks{}) {
			return fmt.Errorf("--weak chooses the blocks: leave --blocks=%v out", o.Blocks)
		}
		if err := p.Check(); err != nil {
			return err
		}
		copies := o
		copies.Every = 0
		r.Cells = append(r.Cells, fdtdCell(p, copies, true))
		p, o.Blocks = p.Grow(a.Ranks)
	}
	if err := o.Check(p, a.Ranks); err != nil {
		return err
	}
	r.Cells = append(r.Cells, fdtdCell(p, o, false))
	return nil
}

func fdtdCell(p fdtd.Problem, o fdtd.Options, copies bool) Cell {
	grid := fmt.Sprintf("%dx%d", p.NX, p.NY)
	label := fmt.Sprintf("%sx%d-%s", grid, p.Steps, o.Precision)
	return Cell{
		Program: p.Program(o),
		Factors: func(point *record.Point) {
			point.Grid, point.Steps, point.Real = grid, p.Steps, o.Precision
			point.Source, point.Wavelength = fmt.Sprintf("%d,%d", p.Source.X, p.Source.Y), p.Source.Wavelength
		},
		Label:  label,
		Copies: copies,
	}
}

// read reads the problem.
func (f *FDTD) read() (p fdtd.Problem, o fdtd.Options, err error) {
	known := fdtd.Sizes()
	at := slices.IndexFunc(known, func(s fdtd.Size) bool { return s.Name == f.Size })
	if at < 0 {
		var names []string
		for _, s := range known {
			names = append(names, s.Name)
		}
		return p, o, &nearest.UnknownError{What: "size", Name: f.Size, Known: names, List: "known"}
	}
	p = known[at].Problem
	if f.Grid != "" {
		grid, ok := numberPair(f.Grid, "x")
		if !ok {
			return p, o, fmt.Errorf("--grid is %q, want the points each way, such as 4096x2048", f.Grid)
		}
		p = fdtd.NewProblem(grid[0], grid[1], p.Steps)
	}
	if f.Steps != 0 {
		p.Steps = f.Steps
	}
	if f.Source != "" {
		at, ok := numberPair(f.Source, ",")
		if !ok {
			return p, o, fmt.Errorf("--source is %q, want a point such as 100,200", f.Source)
		}
		p.Source.X, p.Source.Y = at[0], at[1]
	}
	p.Source.Wavelength = f.Wavelength
	if err := oneOf("precision", f.Real, fdtd.Precisions...); err != nil {
		return p, o, err
	}
	o.Precision = f.Real
	if f.Blocks != "" {
		blocks, ok := numberPair(f.Blocks, "x")
		if !ok || blocks[0] < 1 || blocks[1] < 1 {
			return p, o, fmt.Errorf("--blocks is %q, want blocks each way, such as 2x2", f.Blocks)
		}
		o.Blocks = fdtd.Blocks{X: blocks[0], Y: blocks[1]}
	}
	if f.Every < 0 {
		return p, o, fmt.Errorf("--every is %d, want a number of steps, or 0 for no pictures", f.Every)
	}
	o.Every = f.Every
	o.Picture = f.picture
	return p, o, nil
}

// picture writes a picture into the folder, which is made if it is not there.
func (f *FDTD) picture(step int, p *fdtd.Picture) error {
	if err := os.MkdirAll(f.Pictures, 0o755); err != nil {
		return fmt.Errorf("no picture can be written: %w", err)
	}
	file, err := os.Create(filepath.Join(f.Pictures, fmt.Sprintf("ez-%06d.png", step)))
	if err != nil {
		return fmt.Errorf("no picture can be written: %w", err)
	}
	_, err = p.WritePNG(file)
	if e := file.Close(); err == nil {
		err = e
	}
	if err != nil {
		return fmt.Errorf("picture %s is not complete: %w", file.Name(), err)
	}
	return nil
}

// numberPair reads two numbers.
func numberPair(s, between string) (list [2]int, ok bool) {
	a, b, found := strings.Cut(s, between)
	if !found {
		return list, false
	}
	var err error
	for i, word := range []string{a, b} {
		if list[i], err = strconv.Atoi(strings.TrimSpace(word)); err != nil {
			return list, false
		}
	}
	return list, true
}
